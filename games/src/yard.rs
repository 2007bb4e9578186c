//! The game without a window: a world, who is who in it, and what input does.

use tumble::prelude::*;

/// The length of a step in seconds.
pub const STEP: f64 = 1.0 / 120.0;

/// How many coins there are.
pub const COINS: usize = 12;

/// What user data says of a body.
pub const PLAYER: u64 = 1;
pub const COIN: u64 = 2;
pub const BALL: u64 = 3;
pub const WALL: u64 = 4;
pub const CRATE: u64 = 5;

/// Half the width of the yard in metres.
const YARD: f64 = 20.0;
/// How fast the player walks, in m/s, and turns, in rad/s.
const WALK: f64 = 5.0;
const TURN: f64 = 2.5;
/// Seconds between shots, and the most balls at once.
const PAUSE: f64 = 0.2;
const MOST_BALLS: usize = 40;

/// What a player wants, from −1 to 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct Input {
    pub forward: f64,
    pub right: f64,
    /// To the left.
    pub turn: f64,
    pub shoot: bool,
    pub again: bool,
}

/// The game.
pub struct Yard {
    world: World,
    player: BodyId,
    /// Which way the player looks, in radians from −z.
    heading: f64,
    balls: Vec<BodyId>,
    last_shot: f64,
    gold: usize,
}

impl Yard {
    /// The yard at the start: walls, crates in heaps, coins between them.
    pub fn new() -> Result<Self, ModelError> {
        let mut world = World::with_method(Realtime::new());
        world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y)?))?;
        for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
            let half = [if x == 0.0 { YARD } else { 0.25 }, 0.75, if z == 0.0 { YARD } else { 0.25 }];
            let wall = Body::fixed().with_shape(Shape::cuboid(half)?).with_user_data(WALL);
            world.add_body(wall.at([x * YARD, 0.75, z * YARD]))?;
        }
        for heap in 0..6 {
            let (sin, cos) = (f64::from(heap) * 1.05).sin_cos();
            for index in 0..6 {
                let (row, height) = (f64::from(index % 3), f64::from(index / 3));
                let crate_ = Body::dynamic().with_shape(Shape::cuboid([0.5; 3])?).with_mass(20.0).with_user_data(CRATE);
                world.add_body(crate_.at([9.0 * cos + 1.05 * row, 0.5 + height, 9.0 * sin]))?;
            }
        }
        for coin in 0..COINS {
            let (sin, cos) = (coin as f64 * 0.52 + 0.3).sin_cos();
            let reach = 5.0 + 11.0 * ((coin * 7 % 12) as f64 / 12.0);
            let sensor = Collider::new(Shape::sphere(0.35)?).as_sensor();
            let coin = Body::fixed().with_collider(sensor).with_user_data(COIN);
            world.add_body(coin.at([reach * cos, 0.5, reach * sin]))?;
        }
        let player = Body::kinematic().with_shape(Shape::capsule(0.5, 0.35)?).with_user_data(PLAYER);
        let player = world.add_body(player.at([0.0, 0.9, 0.0]))?;
        Ok(Self { world, player, heading: 0.0, balls: Vec::new(), last_shot: f64::NEG_INFINITY, gold: 0 })
    }

    pub fn world(&self) -> &World {
        &self.world
    }

    /// How many coins were collected.
    pub fn gold(&self) -> usize {
        self.gold
    }

    fn ahead(&self) -> DVec3 {
        rotation_about(DVec3::Y, self.heading) * DVec3::NEG_Z
    }

    /// Where to look from, and to.
    pub fn view(&self, alpha: f64) -> (DVec3, DVec3) {
        let at = self.world.interpolated(self.player, alpha).map_or(DVec3::ZERO, |pose| pose.translation);
        (at - self.ahead() * 7.0 + DVec3::Y * 4.5, at + self.ahead() * 3.0)
    }

    /// Lets a step pass.
    pub fn step(&mut self, input: &Input) -> Result<(), Box<dyn std::error::Error>> {
        self.walk(input)?;
        if input.shoot && self.world.time() - self.last_shot >= PAUSE {
            self.shoot()?;
        }
        self.world.step(STEP)?;
        self.collect()?;
        Ok(())
    }

    /// Sends the player's body where input wants it: it is kinematic, so crates give way and it does not.
    fn walk(&mut self, input: &Input) -> Result<(), ModelError> {
        self.heading += input.turn.clamp(-1.0, 1.0) * TURN * STEP;
        let ahead = self.ahead();
        let way = (ahead * input.forward + ahead.cross(DVec3::Y) * input.right).clamp_length_max(1.0) * WALK * STEP;
        let most = YARD - 0.7;
        let to = (self.world.body(self.player)?.position() + way).clamp(DVec3::splat(-most), DVec3::splat(most));
        let pose = Transform::new(rotation_about(DVec3::Y, self.heading), to);
        self.world.body_mut(self.player)?.move_to(pose, STEP)
    }

    fn shoot(&mut self) -> Result<(), ModelError> {
        self.last_shot = self.world.time();
        let (from, ahead) = (self.world.body(self.player)?.position(), self.ahead());
        let ball = Body::dynamic().with_shape(Shape::sphere(0.2)?).with_mass(6.0).with_user_data(BALL);
        let ball = ball.at(from + ahead * 0.7 + DVec3::Y * 0.3).with_velocity(ahead * 22.0 + DVec3::Y * 2.0);
        self.balls.push(self.world.add_body(ball)?);
        if self.balls.len() > MOST_BALLS {
            self.world.remove_body(self.balls.remove(0))?;
        }
        Ok(())
    }

    /// Takes the coins that the player has touched.
    fn collect(&mut self) -> Result<(), ModelError> {
        let touched: Vec<BodyId> = self
            .world
            .events()
            .sensors
            .iter()
            .filter(|event| event.phase == Phase::Begin)
            .filter_map(|event| {
                let body = |collider: ColliderId| self.world.collider(collider).ok().map(|collider| collider.body());
                let (coin, visitor) = (body(event.sensor)?, body(event.collider)?);
                (visitor == self.player).then_some(coin)
            })
            .collect();
        for coin in touched {
            self.world.remove_body(coin)?;
            self.gold += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walking in circles and shooting moves crates and finds gold, and the player stays in the yard.
    #[test]
    fn a_game_can_be_played() -> Result<(), Box<dyn std::error::Error>> {
        let mut yard = Yard::new()?;
        for step in 0..3600 {
            let turn = if step % 400 < 90 { 1.0 } else { 0.0 };
            yard.step(&Input { forward: 1.0, right: 0.0, turn, shoot: step % 60 == 0, again: false })?;
            let at = yard.world().body(yard.player)?.position();
            assert!(at.abs().max_element() < YARD && (at.y - 0.9).abs() < 1e-9, "{at}");
        }
        assert!(yard.gold() > 0);
        Ok(())
    }
}
