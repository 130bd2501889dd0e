//! What a structure looks like, for pictures and the viewer.

use crate::bounds::Aabb;
use glam::Vec3;

/// A part of a structure, to draw.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Drawn {
    /// A node of a tree: what it encloses and how far below the root it is.
    Node {
        /// What it encloses.
        bounds: Aabb,
        /// 0 for the root.
        depth: u32,
    },
    /// A cell of a grid that holds something.
    Cell {
        /// Where it is.
        bounds: Aabb,
        /// Which level, of grids that have several; 0 is the coarsest.
        level: u32,
        /// How many proxies it holds.
        count: u32,
    },
    /// A plane that divides a region in two.
    Plane {
        /// The plane's unit normal.
        normal: Vec3,
        /// How far it is from the origin along the normal.
        offset: f32,
        /// The region that it divides.
        region: Aabb,
        /// 0 for the first plane.
        depth: u32,
    },
    /// A proxy's interval on a sorted axis.
    Interval {
        /// 0, 1, 2 for x, y, z.
        axis: u32,
        /// Where it begins.
        min: f32,
        /// Where it ends.
        max: f32,
        /// The proxy.
        id: u32,
    },
}
