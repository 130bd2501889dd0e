//! How well a shape is measured through its support map alone: every convex shape, hidden behind one, against its own
//! closed form. `-- --nocapture` prints the errors.

use carom::mass::MassProperties;
use carom::prelude::*;
use carom::shape::{SupportMap, support};

/// A shape of which only the support map is seen, somewhere and askew.
#[derive(Debug)]
struct Hidden {
    shape: Shape,
    pose: LocalPose,
}

impl SupportMap for Hidden {
    fn support(&self, direction: Vec3) -> Vec3 {
        support::in_pose(self.shape.as_support_map().unwrap(), &self.pose, direction)
    }
}

/// The relative errors of mass and inertia, and of the centre relative to the radius of gyration.
fn error(shape: Shape, pose: LocalPose) -> f32 {
    let exact = MassProperties::of_shape(&shape, 1.0).unwrap().moved(&pose);
    let found = MassProperties::of_shape(&Shape::custom(Hidden { shape, pose }), 1.0).unwrap();
    let size = exact.inertia.x_axis.x + exact.inertia.y_axis.y + exact.inertia.z_axis.z;
    let apart = (exact.inertia - found.inertia).to_cols_array().into_iter().fold(0.0, |most: f32, x| most.max(x.abs()));
    let off_center = exact.center_of_mass.distance(found.center_of_mass) / (size / exact.mass).sqrt();
    (1.0 - found.mass / exact.mass).abs().max(apart / size).max(off_center)
}

#[test]
fn every_convex_shape_through_its_support_map_alone() {
    let cuboid = Shape::cuboid(1.0, 0.5, 2.0).unwrap();
    let triangle = Shape::triangle([0.0; 3], [2.0, 0.5, 0.0], [0.5, 1.0, 1.5]).unwrap();
    let corners = [[0.0, 0.0, 0.0], [2.0, 0.25, 0.0], [0.5, 1.5, 0.25], [1.0, 0.5, 1.0]].map(Vec3::from);
    let tetrahedron = Shape::hull(&corners).unwrap();
    let shapes = [
        ("sphere", Shape::sphere(1.5).unwrap(), 1e-5),
        ("ellipsoid", Shape::ellipsoid(1.0, 2.0, 0.5).unwrap(), 1e-5),
        ("ellipsoid needle 1:1000", Shape::ellipsoid(1.0, 1e-3, 1e-3).unwrap(), 1e-4),
        ("ellipsoid pancake 1:1000", Shape::ellipsoid(1.0, 1e-3, 1.0).unwrap(), 1e-4),
        ("cylinder", Shape::cylinder(1.0, 0.5).unwrap(), 1e-4),
        ("cone", Shape::cone(1.0, 0.5).unwrap(), 1e-4),
        ("capsule", Shape::capsule(1.0, 0.5).unwrap(), 1e-4),
        ("cuboid", cuboid.clone(), 1e-5),
        ("cuboid needle 1:1000", Shape::cuboid(1.0, 1e-3, 1e-3).unwrap(), 1e-4),
        ("rounded cuboid", cuboid.rounded(0.25).unwrap(), 1e-4),
        ("rounded triangle", triangle.rounded(0.5).unwrap(), 1e-4),
        ("tetrahedron", tetrahedron.clone(), 1e-4),
        ("rounded tetrahedron", tetrahedron.rounded(0.25).unwrap(), 1e-4),
        ("tetrahedron, mostly round", tetrahedron.rounded(4.0).unwrap(), 1e-4),
        ("small sphere", Shape::sphere(1.5e-3).unwrap(), 1e-5),
    ];
    let turned = Quat::from_xyzw(0.3, -0.5, 0.2, 0.7).normalize();
    for (name, shape, limit) in shapes {
        let straight = error(shape.clone(), LocalPose::IDENTITY);
        let askew = error(shape, LocalPose::new(Vec3::new(0.01, 0.02, -0.03), turned));
        println!("{name:26} straight {straight:.1e} askew {askew:.1e}");
        assert!(straight < limit && askew < limit, "{name}");
    }
}
