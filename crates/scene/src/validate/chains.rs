//! Chains of rods on hinges, let go level. They have no formula; the numbers were integrated elsewhere with an extrapolation
//! of order 16 in 80-bit arithmetic. Angles are from the downward vertical.

use super::findings::{Findings, Worst, within};
use super::lab::{Lab, Trial};
use super::{Cost, Problem, SMOOTH, Trouble, reference_scene};
use glam::DVec3;
use std::f64::consts::TAU;

pub(super) const PROBLEMS: &[Problem] = &[
    Problem {
        name: "double_pendulum_rods",
        about: "two rods of a metre: angles, rates and tip up to 10 s",
        cost: Cost::Quick,
        measure: double_pendulum,
    },
    Problem {
        name: "chain_3",
        about: "three rods of 20 cm: angles, rates and tip up to 3 s",
        cost: Cost::Quick,
        measure: chain_3,
    },
    Problem {
        name: "chain_25",
        about: "25 rods of 4 cm: tip and angles up to 1 s",
        cost: Cost::Slow,
        measure: chain_25,
    },
];

const CHAOS: &str = "chaotic: an error grows tenfold in two seconds, and a method of second order begins with too much";

/// A moment of a chain.
struct Moment<'a> {
    time: f64,
    /// Rods, their angles and their rates.
    rods: &'a [(usize, f64, Option<f64>)],
    tip: [f64; 2],
    /// The tolerance of a method with error control, in rad, m and rad/s.
    accurate: f64,
    /// How far angles and tip, and rates, are off where steps are known not to reach the tolerance.
    known_errors: Option<[f64; 2]>,
}

fn double_pendulum(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let moments = [
        Moment {
            time: 1.0,
            rods: &[
                (0, -1.207_716_238_190_638_1, Some(-3.406_517_532_971_957_7)),
                (1, -0.814_391_023_091_296_4, Some(-0.516_045_472_105_209_5)),
            ],
            tip: [-1.662_115_135_816_127_7, -1.041_466_637_193_224_6],
            accurate: 1e-9,
            known_errors: None,
        },
        Moment {
            time: 2.0,
            rods: &[
                (0, -0.082_758_306_820_570_82, Some(-0.961_145_444_545_998_6)),
                (1, 0.407_362_074_911_907_3, Some(11.898_955_053_045_295)),
            ],
            tip: [0.313_524_776_450_181_7, -1.914_746_617_562_305_1],
            accurate: 1e-9,
            known_errors: None,
        },
        Moment {
            time: 3.0,
            rods: &[
                (0, 1.025_086_012_288_729, Some(-4.593_357_105_474_98)),
                (1, 0.495_734_647_626_975_6, Some(1.184_320_880_614_230_2)),
            ],
            tip: [1.330_436_825_144_049_3, -1.398_644_860_519_203_7],
            accurate: 1e-9,
            known_errors: None,
        },
        Moment {
            time: 5.0,
            rods: &[
                (0, 1.138_543_796_671_881_4, Some(4.910_950_024_004_458)),
                (1, 1.244_379_927_750_250_7, Some(-5.424_710_593_158_88)),
            ],
            tip: [1.855_221_937_758_088_3, -0.739_567_932_546_799_1],
            accurate: 1e-8,
            known_errors: None,
        },
        Moment {
            time: 10.0,
            rods: &[
                (0, -0.744_407_088_508_917_9, Some(-4.035_171_320_490_93)),
                (1, -14.345_719_734_714_994, Some(4.896_814_078_168_112)),
            ],
            tip: [-1.655_867_424_179_727_8, -0.528_445_481_024_032_2],
            accurate: 1e-6,
            known_errors: Some([3.1e-2, 1.7e-1]),
        },
    ];
    follow(lab.scene(reference_scene!("double_pendulum_rods"))?, 1.0, &moments, found)
}

fn chain_3(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let moments = [
        Moment {
            time: 0.5,
            rods: &[
                (0, -0.771_162_180_014_898_3, Some(-11.875_407_580_334_317)),
                (1, -0.899_117_720_525_820_1, Some(1.942_302_148_382_797)),
                (2, -1.013_919_591_274_954_3, Some(-2.661_679_251_896_804)),
            ],
            tip: [-0.465_731_458_353_077_9, -0.373_587_879_926_316_15],
            accurate: 1e-9,
            known_errors: None,
        },
        Moment {
            time: 1.0,
            rods: &[
                (0, -0.484_152_850_696_499_3, Some(1.675_294_474_816_767_5)),
                (1, 0.065_035_802_932_831_64, Some(15.334_571_255_353_955)),
                (2, -2.183_200_816_263_93, Some(22.918_528_479_851_215)),
            ],
            tip: [-0.243_747_394_067_077_9, -0.261_623_771_997_228_14],
            accurate: 1e-9,
            known_errors: None,
        },
        Moment {
            time: 2.0,
            rods: &[
                (0, -0.956_252_483_713_799_2, Some(-2.591_320_281_860_087_3)),
                (1, -1.027_184_103_963_368_7, Some(-8.255_284_764_961_658)),
                (2, -2.387_637_989_208_781_3, Some(9.713_909_921_188_563)),
            ],
            tip: [-0.471_481_893_523_145_8, -0.072_965_849_828_938_35],
            accurate: 1e-8,
            known_errors: None,
        },
        Moment {
            time: 3.0,
            rods: &[
                (0, -0.697_136_115_033_573_8, Some(-6.947_373_416_129_196)),
                (1, 1.383_123_607_630_723_4, Some(-12.131_627_592_026_75)),
                (2, 2.179_569_722_197_932, Some(-0.910_175_930_340_336_4)),
            ],
            tip: [0.232_153_311_528_535_47, -0.076_279_070_827_905_79],
            accurate: 1e-8,
            known_errors: None,
        },
    ];
    follow(lab.scene(reference_scene!("chain_3"))?, 0.2, &moments, found)
}

fn chain_25(lab: &Lab, found: &mut Findings) -> Result<(), Trouble> {
    let moments = [
        Moment {
            time: 0.25,
            rods: &[
                (0, 0.636_999_890_711_509, None),
                (1, 0.658_288_717_462_272_4, None),
                (2, 0.689_038_163_937_068_1, None),
                (3, 0.712_021_995_135_768_8, None),
                (4, 0.751_834_141_499_191_4, None),
                (5, 0.782_723_841_604_921_7, None),
                (6, 0.833_163_392_439_114, None),
                (7, 0.881_004_151_561_147_9, None),
                (8, 0.949_371_957_645_113_5, None),
                (9, 1.032_160_817_528_731_8, None),
                (10, 1.143_474_642_843_685_5, None),
                (11, 1.300_538_309_590_016_7, None),
                (12, 1.481_019_279_736_243_1, None),
                (13, 1.632_479_209_877_378_4, None),
                (14, 1.612_854_686_163_913_7, None),
                (15, 1.528_686_663_185_028_2, None),
                (16, 1.585_351_792_847_499_4, None),
                (17, 1.569_969_866_865_975, None),
                (18, 1.568_957_546_461_771, None),
                (19, 1.572_055_932_549_320_2, None),
                (20, 1.570_247_073_938_124_2, None),
                (21, 1.570_990_512_494_858_7, None),
                (22, 1.570_735_583_688_500_9, None),
                (23, 1.570_814_238_394_320_2, None),
                (24, 1.570_790_150_387_172_8, None),
            ],
            tip: [0.877_311_071_382_886_7, -0.306_562_582_941_114],
            accurate: 1e-8,
            known_errors: None,
        },
        Moment {
            time: 0.5,
            rods: &[
                (0, -0.001_994_077_121_585_479_4, None),
                (1, 0.018_296_020_439_481_9, None),
                (2, -0.005_437_331_278_022_131_5, None),
                (3, -0.013_460_674_765_852_46, None),
                (4, 0.017_816_942_107_607_987, None),
                (5, -0.004_456_402_115_015_282, None),
                (6, -0.055_446_252_142_556_836, None),
                (7, 0.000_147_261_432_945_720_82, None),
                (8, -0.006_123_707_414_077_314, None),
                (9, -0.090_895_968_601_108_31, None),
                (10, -0.078_114_743_580_573_96, None),
                (11, -0.017_033_593_562_258_083, None),
                (12, -0.095_634_329_479_572_82, None),
                (13, -0.197_543_116_370_681_7, None),
                (14, -0.127_085_309_145_803_52, None),
                (15, -0.076_664_391_320_513_27, None),
                (16, -0.316_666_776_622_693_5, None),
                (17, -0.362_954_062_172_022_86, None),
                (18, -0.229_296_927_088_638_22, None),
                (19, -0.389_680_153_187_418_9, None),
                (20, -0.791_300_799_482_830_9, None),
                (21, -1.135_047_529_345_257_8, None),
                (22, -1.368_591_333_858_344_2, None),
                (23, -1.559_104_187_620_106_6, None),
                (24, -1.462_144_906_203_878_7, None),
            ],
            tip: [-0.263_866_386_328_964_25, -0.847_424_653_159_254_6],
            accurate: 1e-8,
            known_errors: None,
        },
        Moment {
            time: 1.0,
            rods: &[
                (0, -0.995_465_043_481_828_2, None),
                (1, -0.910_658_541_611_908_3, None),
                (2, -1.067_544_021_119_251, None),
                (3, -1.428_868_787_439_333_5, None),
                (4, -1.701_497_747_809_170_2, None),
                (5, -1.920_591_664_756_866, None),
                (6, -2.093_829_570_065_880_7, None),
                (7, -2.177_998_409_667_669, None),
                (8, -1.979_377_395_807_271, None),
                (9, -1.787_450_175_573_331, None),
                (10, -1.661_348_157_031_804_3, None),
                (11, -1.598_744_652_731_762, None),
                (12, -1.557_736_568_666_567_8, None),
                (13, -1.510_035_167_386_902, None),
                (14, -1.508_076_437_619_368_7, None),
                (15, -1.468_638_985_502_799_3, None),
                (16, -1.302_507_396_936_516, None),
                (17, -1.082_555_356_595_704, None),
                (18, -1.410_855_824_844_685_9, None),
                (19, -1.080_707_968_987_858_3, None),
                (20, -0.949_816_333_578_192, None),
                (21, -1.229_314_706_434_082, None),
                (22, -0.660_897_993_334_619_6, None),
                (23, -0.927_467_782_227_286_8, None),
                (24, -0.532_063_096_889_011_5, None),
            ],
            tip: [-0.895_511_439_755_722, -0.171_105_930_120_372_17],
            accurate: 1e-5,
            known_errors: None,
        },
    ];
    follow(lab.scene(reference_scene!("chain_25"))?, 0.04, &moments, found)
}

/// Runs a chain of rods of some length and compares its moments.
fn follow(mut trial: Trial, length: f64, moments: &[Moment<'_>], found: &mut Findings) -> Result<(), Trouble> {
    let count = trial.scene.world.model().bodies().len();
    let scale = 9.81 * (0..count).map(|rod| trial.body(&name(rod)).map_or(0.0, |rod| rod.mass())).sum::<f64>() * length;
    let start = trial.energy();
    let mut energy_off: f64 = 0.0;
    for moment in moments {
        trial.watch(moment.time, |trial| {
            energy_off = energy_off.max((trial.energy() - start).abs());
            Ok(())
        })?;
        let (mut places, mut rates) = (Worst::default(), Worst::default());
        for &(rod, angle, rate) in moment.rods {
            let body = trial.body(&name(rod))?;
            let along = body.rotation() * DVec3::X;
            // Whole turns do not matter: the angle nearest to what is expected.
            let off = libm::remainder(libm::atan2(along.x, -along.y) - angle, TAU);
            places.see(format!("angle of rod {}", rod + 1), angle + off, angle);
            if let Some(rate) = rate {
                rates.see(format!("rod {}", rod + 1), body.angular_velocity().z, rate);
            }
        }
        let tip = trial.body(&name(count - 1))?.pose().point(DVec3::X * length / 2.0);
        places.see("tip, x", tip.x, moment.tip[0]);
        places.see("tip, y", tip.y, moment.tip[1]);
        let time = moment.time;
        // In steps, errors of rates are those of angles times the rate at which the motion changes, some 10/s.
        let [within_places, within_rates] = [(0, SMOOTH), (1, 10.0 * SMOOTH)].map(|(kind, stepping)| {
            let within = within(moment.accurate, stepping);
            moment.known_errors.map_or(within, |known| within.not_reached(CHAOS, known[kind]))
        });
        found.worst(&format!("angles, rad, and tip, m, at {time} s"), places, within_places);
        if moment.rods.iter().any(|rod| rod.2.is_some()) {
            found.worst(&format!("rates at {time} s, rad/s"), rates, within_rates);
        }
    }
    found.absolute("energy, change in m g l", energy_off / scale, 0.0, within(1e-9, SMOOTH));
    Ok(())
}

fn name(rod: usize) -> String {
    format!("chain/{rod}/rod")
}
