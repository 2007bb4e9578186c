//! Crate yard: a game to play, as small as a game with tumble can be.
//!
//! Walk with W, A, S, D, turn with the arrows, shoot with space, start again with R. Push the crates about and collect the gold.
//! `cargo run --release` in this folder; on Linux without a sound card or with an old driver it runs too, it needs OpenGL only.
//! With `SHOTS=N` it plays by itself for N frames and saves a picture, for tests without a person.
//!
//! How it is made: [`yard`] is the game without a window (a world, rules, input as plain data), this file is the loop: steps of one
//! length, pictures in between (`World::interpolated`).

mod yard;

use macroquad::prelude::*;
use tumble::prelude::{BodyId, Shape, Transform};
use yard::{Input, STEP, Yard};

fn window() -> Conf {
    Conf {
        window_title: "crate yard".into(),
        window_width: 960,
        window_height: 600,
        sample_count: 4,
        ..Conf::default()
    }
}

#[macroquad::main(window)]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut yard = Yard::new()?;
    let alone: Option<u32> = std::env::var("SHOTS").ok().and_then(|frames| frames.parse().ok());
    let (mut owed, mut frame) = (0.0, 0);
    loop {
        let input = if alone.is_some() { by_itself(frame) } else { by_hand() };
        if input.again {
            yard = Yard::new()?;
        }
        // After a pause, do not try to catch up.
        owed += if alone.is_some() { 1.0 / 60.0 } else { f64::from(get_frame_time()).min(0.1) };
        while owed >= STEP {
            yard.step(&input)?;
            owed -= STEP;
        }
        draw(&yard, owed / STEP);
        frame += 1;
        if alone.is_some_and(|frames| frame >= frames) {
            get_screen_data().export_png("crate-yard.png");
            return Ok(());
        }
        next_frame().await;
    }
}

fn by_hand() -> Input {
    let pressed = |key: KeyCode| f64::from(u8::from(is_key_down(key)));
    Input {
        forward: pressed(KeyCode::W) - pressed(KeyCode::S),
        right: pressed(KeyCode::D) - pressed(KeyCode::A),
        turn: pressed(KeyCode::Left) - pressed(KeyCode::Right),
        shoot: is_key_down(KeyCode::Space),
        again: is_key_pressed(KeyCode::R),
    }
}

/// What a machine plays: straight on, with a shot now and then.
fn by_itself(frame: u32) -> Input {
    let turn = if frame % 120 < 40 { 0.4 } else { -0.2 };
    Input { forward: 0.7, right: 0.0, turn, shoot: frame % 25 == 0, again: false }
}

fn vector(v: tumble::prelude::DVec3) -> Vec3 {
    vec3(v.x as f32, v.y as f32, v.z as f32)
}

fn draw(yard: &Yard, alpha: f64) {
    clear_background(Color::new(0.74, 0.84, 0.93, 1.0));
    let (eye, target) = yard.view(alpha);
    set_camera(&Camera3D { position: vector(eye), target: vector(target), up: Vec3::Y, ..Camera3D::default() });
    draw_plane(Vec3::ZERO, vec2(20.0, 20.0), None, Color::new(0.55, 0.6, 0.5, 1.0));
    draw_grid(40, 1.0, Color::new(0.5, 0.55, 0.45, 1.0), Color::new(0.5, 0.55, 0.45, 1.0));
    for (id, pose) in yard.world().interpolated_bodies(alpha) {
        draw_body(yard, id, &pose);
    }
    set_default_camera();
    draw_text(&format!("gold {} of {}", yard.gold(), yard::COINS), 20.0, 36.0, 36.0, BLACK);
    draw_text("W A S D walk, arrows turn, space shoots, R again", 20.0, screen_height() - 16.0, 22.0, DARKGRAY);
    if yard.gold() == yard::COINS {
        draw_text("All of it!", 0.5 * screen_width() - 90.0, 0.4 * screen_height(), 60.0, GOLD);
    }
}

fn draw_body(yard: &Yard, id: BodyId, pose: &Transform) {
    let Ok(body) = yard.world().body(id) else { return };
    let color = match body.user_data() {
        yard::PLAYER => Color::new(0.2, 0.4, 0.8, 1.0),
        yard::COIN => GOLD,
        yard::BALL => Color::new(0.8, 0.25, 0.2, 1.0),
        yard::WALL => Color::new(0.6, 0.58, 0.55, 1.0),
        yard::CRATE => Color::new(0.66, 0.47, 0.28, 1.0),
        _ => return,
    };
    let colliders = body.model().colliders.iter().filter_map(|&id| yard.world().model().colliders().get(id));
    for collider in colliders {
        let at = *pose * collider.pose;
        let q = at.rotation;
        let turn = Mat4::from_quat(Quat::from_xyzw(q.x as f32, q.y as f32, q.z as f32, q.w as f32));
        let model = Mat4::from_translation(vector(at.translation)) * turn;
        let gl = unsafe { get_internal_gl().quad_gl };
        gl.push_model_matrix(model);
        match &collider.shape {
            Shape::Cuboid(cuboid) => {
                let size = vector(cuboid.half_extents()) * 2.0;
                draw_cube(Vec3::ZERO, size, None, color);
                draw_cube_wires(Vec3::ZERO, size, Color::new(0.2, 0.15, 0.1, 1.0));
            }
            Shape::Sphere(sphere) => draw_sphere(Vec3::ZERO, sphere.radius() as f32, None, color),
            Shape::Capsule(capsule) => {
                let (half, radius) = (capsule.half_height() as f32, capsule.radius() as f32);
                draw_cylinder(Vec3::Y * -half, radius, radius, 2.0 * half, None, color);
                draw_sphere(Vec3::Y * half, radius, None, color);
                draw_sphere(Vec3::Y * -half, radius, None, color);
            }
            _ => {}
        }
        gl.pop_model_matrix();
    }
}
