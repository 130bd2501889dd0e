//! Vectors of eight lanes, and rows of bodies turned into them.

use fearless_simd::{f32x4, f32x8, mask32x8, prelude::*};

/// One number for each of eight lanes.
pub(super) type Lanes = [f32; 8];

/// Eight numbers of one body: two vectors of three, and two that mean nothing.
pub(super) type Row = [f32; 8];

/// Eight vectors.
#[derive(Clone, Copy)]
pub(super) struct Vectors<S: Simd> {
    pub(super) x: f32x8<S>,
    pub(super) y: f32x8<S>,
    pub(super) z: f32x8<S>,
}

impl<S: Simd> Vectors<S> {
    #[inline(always)]
    pub(super) fn load(simd: S, lanes: &[Lanes; 3]) -> Self {
        let [x, y, z] = lanes;
        Self { x: load(simd, x), y: load(simd, y), z: load(simd, z) }
    }

    #[inline(always)]
    pub(super) fn store(self, lanes: &mut [Lanes; 3]) {
        let [x, y, z] = lanes;
        store(self.x, x);
        store(self.y, y);
        store(self.z, z);
    }

    #[inline(always)]
    pub(super) fn plus(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }

    #[inline(always)]
    pub(super) fn minus(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }

    #[inline(always)]
    pub(super) fn times(self, factor: f32x8<S>) -> Self {
        Self { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }

    /// Component by component.
    #[inline(always)]
    pub(super) fn scaled(self, other: Self) -> Self {
        Self { x: self.x * other.x, y: self.y * other.y, z: self.z * other.z }
    }

    #[inline(always)]
    pub(super) fn dot(self, other: Self) -> f32x8<S> {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// Whether the components of each are the same.
    #[inline(always)]
    pub(super) fn are_even(self) -> mask32x8<S> {
        self.x.simd_eq(self.y) & self.y.simd_eq(self.z)
    }

    #[inline(always)]
    pub(super) fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }
}

/// Eight symmetric tensors.
#[derive(Clone, Copy)]
pub(super) struct Tensors<S: Simd> {
    pub(super) xx: f32x8<S>,
    yy: f32x8<S>,
    zz: f32x8<S>,
    xy: f32x8<S>,
    yz: f32x8<S>,
    zx: f32x8<S>,
}

impl<S: Simd> Tensors<S> {
    #[inline(always)]
    pub(super) fn load(simd: S, lanes: &[Lanes; 6]) -> Self {
        let [xx, yy, zz, xy, yz, zx] = lanes;
        Self {
            xx: load(simd, xx),
            yy: load(simd, yy),
            zz: load(simd, zz),
            xy: load(simd, xy),
            yz: load(simd, yz),
            zx: load(simd, zx),
        }
    }

    /// From one row of each body.
    #[inline(always)]
    pub(super) fn from_rows(simd: S, low: [&Row; 4], high: [&Row; 4]) -> Self {
        let Twists { linear, angular } = Twists::from_rows(simd, low, high);
        Self { xx: linear.x, yy: linear.y, zz: linear.z, xy: angular.x, yz: angular.y, zx: angular.z }
    }

    #[inline(always)]
    pub(super) fn store(self, lanes: &mut [Lanes; 6]) {
        let [xx, yy, zz, xy, yz, zx] = lanes;
        store(self.xx, xx);
        store(self.yy, yy);
        store(self.zz, zz);
        store(self.xy, xy);
        store(self.yz, yz);
        store(self.zx, zx);
    }

    /// Whether each is one number times the identity.
    #[inline(always)]
    pub(super) fn are_round(self, simd: S) -> mask32x8<S> {
        let aside = self.xy.abs() + self.yz.abs() + self.zx.abs();
        let is_plain = aside.simd_le(f32x8::splat(simd, 0.0));
        is_plain & self.xx.simd_eq(self.yy) & self.yy.simd_eq(self.zz)
    }

    #[inline(always)]
    pub(super) fn times(self, v: Vectors<S>) -> Vectors<S> {
        Vectors {
            x: self.xx * v.x + self.xy * v.y + self.zx * v.z,
            y: self.xy * v.x + self.yy * v.y + self.yz * v.z,
            z: self.zx * v.x + self.yz * v.y + self.zz * v.z,
        }
    }
}

#[inline(always)]
pub(super) fn load<S: Simd>(simd: S, lanes: &Lanes) -> f32x8<S> {
    f32x8::load_array_ref(simd, lanes)
}

#[inline(always)]
pub(super) fn store<S: Simd>(values: f32x8<S>, lanes: &mut Lanes) {
    values.store_slice(lanes);
}

/// The two vectors of eight bodies.
#[derive(Clone, Copy)]
pub(super) struct Twists<S: Simd> {
    pub(super) linear: Vectors<S>,
    pub(super) angular: Vectors<S>,
}

impl<S: Simd> Twists<S> {
    /// From one row of each body.
    #[inline(always)]
    pub(super) fn from_rows(simd: S, low: [&Row; 4], high: [&Row; 4]) -> Self {
        let [x0, y0, z0, u0, v0, w0] = columns(simd, low);
        let [x1, y1, z1, u1, v1, w1] = columns(simd, high);
        Self {
            linear: Vectors { x: x0.combine(x1), y: y0.combine(y1), z: z0.combine(z1) },
            angular: Vectors { x: u0.combine(u1), y: v0.combine(v1), z: w0.combine(w1) },
        }
    }

    /// To one row of each body, in halves: whoever copies a whole row right after its halves were written waits for them.
    #[inline(always)]
    pub(super) fn into_rows(self, simd: S) -> [Halves<S>; 8] {
        let (x, y, z) = (self.linear.x.split(), self.linear.y.split(), self.linear.z.split());
        let (u, v, w) = (self.angular.x.split(), self.angular.y.split(), self.angular.z.split());
        let [a, b, c, d] = rows(simd, [x.0, y.0, z.0, u.0, v.0, w.0]);
        let [e, f, g, h] = rows(simd, [x.1, y.1, z.1, u.1, v.1, w.1]);
        [a, b, c, d, e, f, g, h]
    }
}

/// The two halves of a row.
#[derive(Clone, Copy)]
pub(super) struct Halves<S: Simd> {
    low: f32x4<S>,
    high: f32x4<S>,
}

impl<S: Simd> Halves<S> {
    #[inline(always)]
    pub(super) fn store(self, row: &mut Row) {
        self.low.store_slice(&mut row[..4]);
        self.high.store_slice(&mut row[4..]);
    }
}

/// The first six columns of four rows.
#[inline(always)]
fn columns<S: Simd>(simd: S, rows: [&Row; 4]) -> [f32x4<S>; 6] {
    let [a, b, c, d] = [low(simd, rows[0]), low(simd, rows[1]), low(simd, rows[2]), low(simd, rows[3])];
    let (ac_low, ac_high) = (a.zip_low(c), a.zip_high(c));
    let (bd_low, bd_high) = (b.zip_low(d), b.zip_high(d));
    let [e, f, g, h] = [high(simd, rows[0]), high(simd, rows[1]), high(simd, rows[2]), high(simd, rows[3])];
    let (eg, fh) = (e.zip_low(g), f.zip_low(h));
    [
        ac_low.zip_low(bd_low),
        ac_low.zip_high(bd_low),
        ac_high.zip_low(bd_high),
        ac_high.zip_high(bd_high),
        eg.zip_low(fh),
        eg.zip_high(fh),
    ]
}

/// Four rows of six columns.
#[inline(always)]
fn rows<S: Simd>(simd: S, columns: [f32x4<S>; 6]) -> [Halves<S>; 4] {
    let [x, y, z, u, v, w] = columns;
    let zero = f32x4::splat(simd, 0.0);
    let (xz_low, xz_high) = (x.zip_low(z), x.zip_high(z));
    let (yu_low, yu_high) = (y.zip_low(u), y.zip_high(u));
    let (vw_low, vw_high) = (v.zip_low(w), v.zip_high(w));
    // The pairs are [v0 w0 v1 w1] and [v2 w2 v3 w3]: two bodies in each.
    [
        Halves { low: xz_low.zip_low(yu_low), high: vw_low },
        Halves { low: xz_low.zip_high(yu_low), high: vw_low.slide::<2>(zero) },
        Halves { low: xz_high.zip_low(yu_high), high: vw_high },
        Halves { low: xz_high.zip_high(yu_high), high: vw_high.slide::<2>(zero) },
    ]
}

#[inline(always)]
fn low<S: Simd>(simd: S, row: &Row) -> f32x4<S> {
    f32x4::from_slice(simd, &row[..4])
}

#[inline(always)]
fn high<S: Simd>(simd: S, row: &Row) -> f32x4<S> {
    f32x4::from_slice(simd, &row[4..])
}
