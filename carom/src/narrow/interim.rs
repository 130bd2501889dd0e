use crate::distance::convex::*;
use crate::distance::placement::Placement;
use crate::distance::separation::{self, Relation};
use glam::DVec3;
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cache {}
pub(crate) struct Signed { pub(crate) normal: DVec3, pub(crate) distance: f64, pub(crate) on_a: DVec3, pub(crate) on_b: DVec3 }
pub(crate) fn signed(a: &Convex<'_>, b: &Convex<'_>, b_in_a: &Placement, limit: f64, _: &mut Cache) -> Result<Option<Signed>, SupportFault> {
    let Some(found) = separation::of_convex(a, b, b_in_a, limit)? else { return Ok(None) };
    if found.relation != Relation::Overlapping {
        return Ok(Some(Signed { normal: found.normal, distance: found.upper, on_a: found.on_a, on_b: found.on_b }));
    }
    let mut best = (f64::NEG_INFINITY, DVec3::Y, DVec3::ZERO, DVec3::ZERO);
    for i in 0..2000 {
        let y = 1.0 - 2.0 * (i as f64 + 0.5) / 2000.0;
        let angle = i as f64 * 2.399963;
        let n = DVec3::new(angle.cos() * (1.0 - y * y).sqrt(), y, angle.sin() * (1.0 - y * y).sqrt());
        let on_a = a.core.support(n)? + n * a.radius;
        let on_b = separation::placed_support(b, b_in_a, -n)? - n * b.radius;
        let gap = n.dot(on_b - on_a);
        if gap > best.0 { best = (gap, n, on_a, on_b); }
    }
    Ok(Some(Signed { normal: best.1, distance: best.0, on_a: best.2, on_b: best.3 }))
}
