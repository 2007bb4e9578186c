use tumble_dynamics::*; use tumble_dynamics::geometry::Shape; use tumble_dynamics::method::*; use tumble_dynamics::constraint::*; use tumble_dynamics::model::*; use glam::*;
fn main(){
 let a:Vec<String>=std::env::args().collect(); let steps:usize=a[2].parse().unwrap(); let which=&a[1];
 let mut set=RealtimeSettings::default(); set.time_to_sleep=f64::INFINITY;
 for kv in &a[3..] { let (k,v)=kv.split_once('=').unwrap(); match k {"ref"=>set.refreshes=v.parse().unwrap(),"sub"=>set.substeps=v.parse().unwrap(),"mass"|"free"=>{},"retro"=>{},_=>panic!()} }
 let mass:f64=a.iter().find_map(|x|x.strip_prefix("mass=")).map_or(1.0,|x|x.parse().unwrap());
 let mut w=World::with_method(Realtime::new().with_settings(set)); if a.iter().any(|x|x.starts_with("retro")){w.set_method(Retroactive::new());}
 let (kind,num)=which.split_at(which.find(|c:char|c.is_ascii_digit()).unwrap_or(which.len())); let num:usize=num.parse().unwrap_or(1);
 let mut js=vec![]; let mut ids=vec![];
 match kind {
  "chain"=>{ let l=0.2; let mut last=JointEnd::World; for k in 0..num { let b=w.add_body(Body::dynamic().at([l*(k as f64+0.5),0.0,0.0]).with_shape(Shape::capsule(l*0.3,l*0.1).unwrap()).rotated(DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2)).with_mass(1.0)).unwrap(); ids.push(b); js.push(w.add_joint(Joint::new(last,b,Ball::at([l*k as f64,0.0,0.0]))).unwrap()); last=JointEnd::Body(b);} 
     if mass>1.0 { let b=w.add_body(Body::dynamic().at([l*num as f64+0.3,0.0,0.0]).with_shape(Shape::sphere(0.3).unwrap()).with_mass(mass)).unwrap(); ids.push(b); js.push(w.add_joint(Joint::new(last,b,Ball::at([l*num as f64,0.0,0.0]))).unwrap()); } }
  "hchain"=>{ let l=0.2; let mut last=JointEnd::World; for k in 0..num { let b=w.add_body(Body::dynamic().at([0.0,-l*(k as f64+0.5),0.0]).with_shape(Shape::capsule(l*0.3,l*0.1).unwrap()).with_mass(1.0)).unwrap(); ids.push(b); js.push(w.add_joint(Joint::new(last,b,Ball::at([0.0,-l*k as f64,0.0]))).unwrap()); last=JointEnd::Body(b);} 
     if mass>1.0 { let b=w.add_body(Body::dynamic().at([0.0,-l*num as f64-0.3,0.0]).with_shape(Shape::sphere(0.3).unwrap()).with_mass(mass)).unwrap(); ids.push(b); js.push(w.add_joint(Joint::new(last,b,Ball::at([0.0,-l*num as f64,0.0]))).unwrap()); } }
  "net"=>{ let mut g=vec![vec![JointEnd::World;num];num]; for i in 0..num{for j in 0..num{ let b=w.add_body(Body::dynamic().at([i as f64,0.0,j as f64]).with_shape(Shape::sphere(0.4).unwrap()).with_mass(1.0)).unwrap(); ids.push(b); g[i][j]=JointEnd::Body(b);}} for i in 0..num{for j in 0..num{ if i==0 {js.push(w.add_joint(Joint::new(JointEnd::World,g[i][j],Ball::at([i as f64,0.0,j as f64]))).unwrap());} if i+1<num{js.push(w.add_joint(Joint::new(g[i][j],g[i+1][j],Ball::at([i as f64+0.5,0.0,j as f64]))).unwrap());} if j+1<num {js.push(w.add_joint(Joint::new(g[i][j],g[i][j+1],Ball::at([i as f64,0.0,j as f64+0.5]))).unwrap());} }} }
  "rod"=>{ let b=w.add_body(Body::dynamic().at([0.5,0.0,0.0]).with_shape(Shape::cuboid([0.5,0.05,0.05]).unwrap())).unwrap(); ids.push(b); js.push(w.add_joint(Joint::new(JointEnd::World,b,Hinge::at([0.0,0.0,0.0],DVec3::Z))).unwrap()); }
  "door"=>{ let b=w.add_body(Body::dynamic().at([0.5,0.0,0.0]).with_shape(Shape::cuboid([0.5,1.0,0.05]).unwrap())).unwrap(); ids.push(b); for y in [-0.8,0.8]{ js.push(w.add_joint(Joint::new(JointEnd::World,b,Hinge::at([0.0,y,0.0],DVec3::Y))).unwrap()); } w.set_gravity([0.0,-9.0,3.0]); }
  "top"=>{ w.set_gravity([0.0,0.0,0.0]); let b=w.add_body(Body::dynamic().with_shape(Shape::cuboid([0.5,0.3,0.1]).unwrap()).with_angular_velocity([5.0,0.1,3.0])).unwrap(); ids.push(b); }
  "fall"=>{ let b=w.add_body(Body::dynamic().with_shape(Shape::cuboid([0.5,0.3,0.1]).unwrap())).unwrap(); ids.push(b); }
  _=>panic!()}
 if a.iter().any(|x|x=="free=1") { w.set_filter(CollisionFilter::new().asking(|_,_|Some(false))); }
 let e0=w.energy().total(); let depth=|w:&World|ids.iter().map(|&i|w.body(i).unwrap().position().y).fold(0.0,f64::min); let mut range:f64=1e-9; let t=std::time::Instant::now(); let mut worst:f64=0.0; let mut emax=f64::MIN; let mut emin=f64::MAX;
 for s in 0..steps { if let Err(e)=w.step(1.0/60.0){println!("step {s}: {e}");return;} let e=w.energy().total()-e0; emax=emax.max(e); emin=emin.min(e); range=range.max(w.energy().kinetic); 
  let gap=js.iter().map(|&j|{ let j=w.joint(j).unwrap(); let an=j.anchors(); (an[0]-an[1]).length()}).fold(0.0,f64::max); worst=worst.max(gap);
  if (s+1)%(steps/5).max(1)==0 { println!("t {:.1} E-E0 {:.3e} ({:.4} % of most kinetic {:.3e}; min {:.3e} max {:.3e}) gap {:.2e} worst {:.2e} low {:.3} p {:?}",(s+1) as f64/60.0,e,100.0*e/range,range,emin,emax,gap,worst,depth(&w), w.body(*ids.last().unwrap()).unwrap().position()); } }
 println!("{:.3} ms/step", t.elapsed().as_secs_f64()*1e3/steps as f64);
}
