use tumble_dynamics::*; use tumble_dynamics::geometry::Shape; use tumble_dynamics::method::*; use glam::*;
fn overlap(w:&World)->(f64,f64,usize){ let (mut s,mut m,mut n)=(0.0,0.0f64,0); w.visit_contacts( |c: tumble_dynamics::contact::Contact<'_>|for p in c.points(){ if p.gap<0.0 {s-=p.gap; m=m.max(-p.gap);} n+=1; }); (s/(n.max(1) as f64),m,n)}
fn main(){
 let a:Vec<String>=std::env::args().collect(); let which=&a[1]; let steps:usize=a[2].parse().unwrap();
 let mut set=RealtimeSettings::default(); for kv in &a[3..] { let (k,v)=kv.split_once('=').unwrap(); match k {"ref"=>set.refreshes=v.parse().unwrap(),"sub"=>set.substeps=v.parse().unwrap(),"exact"=>set.exact_contacts=v.parse().unwrap(),"keep"=>set.keep=v.parse().unwrap(),"sleep"=>set.time_to_sleep=v.parse().unwrap(),"retro"=>{},_=>panic!()} }
 if !a.iter().any(|x|x.starts_with("sleep=")) {set.time_to_sleep=f64::INFINITY;}
 let mut w = World::with_method(Realtime::new().with_settings(set));
 if a.iter().any(|x|x.starts_with("retro")) { w.set_method(Retroactive::new()); }
 w.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
 let mut ids=vec![]; let cube=|h:f64|Shape::cuboid([h,h,h]).unwrap();
 let (kind,num)=which.split_at(which.find(|c:char|c.is_ascii_digit()).unwrap_or(which.len())); let num:usize=num.parse().unwrap_or(0);
 match kind {
  "pyr"=>{ for r in 0..num {for k in 0..num-r { ids.push(w.add_body(Body::dynamic().at([k as f64*1.02+0.51*r as f64,0.5+r as f64,0.0]).with_shape(cube(0.5))).unwrap()); }}}
  "stack"=>{ for r in 0..num { ids.push(w.add_body(Body::dynamic().at([0.0,0.5+r as f64,0.0]).with_shape(cube(0.5))).unwrap()); }}
  "heavy"=>{ for r in 0..num { let mut b=Body::dynamic().at([0.0,0.5+r as f64,0.0]).with_shape(cube(0.5)).with_mass(1.0); if r+1==num {b=b.with_mass(1000.0);} ids.push(w.add_body(b).unwrap()); }}
  "pile"=>{ let mut rng=7u64; let mut rnd=move||{rng=rng.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); (rng>>11) as f64/(1u64<<53) as f64-0.5}; for y in 0..num{for x in 0..10{for z in 0..10{ ids.push(w.add_body(Body::dynamic().at([x as f64*0.8+0.1*rnd(),0.5+y as f64*0.8,z as f64*0.8+0.1*rnd()]).rotated(DQuat::from_scaled_axis(DVec3::new(rnd(),rnd(),rnd())*3.0)).with_shape(cube(0.25))).unwrap());}}}}
  "ball"=>{ ids.push(w.add_body(Body::dynamic().at([0.0,1.5,0.0]).with_shape(Shape::sphere(0.5).unwrap()).with_material(Material{restitution:1.0,..Material::default()})).unwrap()); }
  "slope"=>{ let th=20f64.to_radians(); w.set_gravity(DVec3::new(9.81*th.sin(),-9.81*th.cos(),0.0)); let mu=num as f64/100.0; let b=Body::dynamic().at([0.0,0.5,0.0]).with_shape(cube(0.5)).with_material(Material{static_friction:mu*mu/0.5,dynamic_friction:mu*mu/0.5,..Material::default()}); ids.push(w.add_body(b).unwrap()); }
  _=>panic!() }
 let start:Vec<DVec3>=ids.iter().map(|&i|w.body(i).unwrap().position()).collect();
 let t=std::time::Instant::now(); let mut sol=0.0; let mut det=0.0; let mut peak=0f64; let mut low=0.0f64;
 for s in 0..steps { if let Err(e)=w.step(1.0/60.0){println!("step {s}: {e}");return;} let r=w.report(); sol+=r.times.solve.as_secs_f64(); det+=r.times.detect.as_secs_f64(); peak=peak.max(overlap(&w).1); low=low.max(w.body(ids[0]).unwrap().position().y);
  if (s+1)%(steps/6).max(1)==0 { let (m,x,n)=overlap(&w); let sp=(ids.iter().map(|&i|w.body(i).unwrap().velocity().length_squared()).sum::<f64>()/ids.len() as f64).sqrt(); let last=*ids.last().unwrap(); println!("t {:.1} overlap mean {:.3} max {:.3} mm pts {n} rms {sp:.2e} last moved {:.2} mm asleep {} top {:?}",(s+1) as f64/60.0,m*1e3,x*1e3,(w.body(last).unwrap().position()-start[ids.len()-1]).length()*1e3,w.report().asleep, w.body(last).unwrap().position()); } }
 println!("{:.3} ms/step solve {:.3} detect {:.3}; peak overlap {:.1} mm", t.elapsed().as_secs_f64()*1e3/steps as f64, sol*1e3/steps as f64, det*1e3/steps as f64, peak*1e3);
}
