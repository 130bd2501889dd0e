//! Shapes as scenes write them: what the library reads, and meshes that are in files of their own.

use carom::decomposition::{self, decompose};
use carom::glam::Vec3;
use carom::shape::{Shape, TriangleMesh};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess, Visitor};
use std::collections::BTreeMap;
use std::io::{BufReader, Cursor};
use std::path::{Path, PathBuf};

/// What is in the files that a scene names, by their names as the scene writes them.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// Where a scene's files come from.
#[derive(Debug, Clone)]
pub(super) enum Shelf {
    /// They are beside the scene.
    Folder(PathBuf),
    /// They came with it: no other is looked for.
    Kept(Files),
}

/// Reads a scene's files, each once.
pub(super) struct Reader {
    shelf: Shelf,
    read: Files,
}

impl Reader {
    pub(super) fn new(shelf: Shelf) -> Self {
        Self { shelf, read: Files::new() }
    }

    /// All that were read.
    pub(super) fn into_files(self) -> Files {
        self.read
    }

    /// What is in a file; the error says what is wrong, with the file.
    fn bytes(&mut self, name: &str) -> Result<&[u8], String> {
        if !self.read.contains_key(name) {
            let bytes = match &self.shelf {
                Shelf::Folder(folder) => {
                    let path = folder.join(name);
                    std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?
                }
                Shelf::Kept(files) => {
                    files.get(name).cloned().ok_or_else(|| format!("{name}: the recording does not hold it"))?
                }
            };
            self.read.insert(name.to_string(), bytes);
        }
        Ok(self.read.get(name).map_or(&[], Vec::as_slice))
    }
}

/// A shape in the scene's text, or a mesh in another file.
#[derive(Debug)]
pub(super) enum ShapeFile {
    Given(Shape),
    MeshFile(MeshFile),
}

/// A mesh in another file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MeshFile {
    path: String,
    #[serde(default = "one")]
    scale: f32,
    decompose: Option<Decompose>,
}

/// How a mesh is taken apart into convex hulls.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Decompose {
    concavity: f64,
    max_hulls: usize,
    max_vertices: usize,
}

/// What a shape can be.
const KINDS: &[&str] = &[
    "point",
    "segment",
    "triangle",
    "sphere",
    "cuboid",
    "capsule",
    "cylinder",
    "cone",
    "ellipsoid",
    "hull",
    "half_space",
    "mesh",
    "height_field",
    "compound",
    MESH_FILE,
];
const MESH_FILE: &str = "mesh_file";

fn one() -> f32 {
    1.0
}

impl Default for Decompose {
    fn default() -> Self {
        let decomposition::Settings { concavity, max_hulls, max_vertices } = decomposition::Settings::default();
        Self { concavity, max_hulls, max_vertices }
    }
}

impl ShapeFile {
    /// The shape. The error says what is wrong.
    pub(super) fn shape(self, reader: &mut Reader) -> Result<Shape, String> {
        match self {
            Self::Given(shape) => Ok(shape),
            Self::MeshFile(file) => file.shape(reader),
        }
    }
}

impl MeshFile {
    fn shape(&self, reader: &mut Reader) -> Result<Shape, String> {
        let with_path = |said: String| format!("{}: {said}", self.path);
        let bytes = reader.bytes(&self.path)?;
        if !(self.scale > 0.0 && self.scale.is_finite()) {
            return Err(format!("the scale is {}; it must be a finite number greater than zero", self.scale));
        }
        let mesh = self.mesh(bytes).map_err(with_path)?;
        let Some(Decompose { concavity, max_hulls, max_vertices }) = self.decompose else { return Ok(mesh.into()) };
        let settings = decomposition::Settings { concavity, max_hulls, max_vertices };
        let parts = decompose(&mesh, &settings).map_err(|error| with_path(error.to_string()))?;
        parts.into_compound().map_err(|error| with_path(error.to_string()))
    }

    /// The surface in the file. STL repeats corners and OBJ files of other programs have slivers, so both are repaired.
    fn mesh(&self, bytes: &[u8]) -> Result<TriangleMesh, String> {
        let extension = Path::new(&self.path).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let (mut vertices, triangles) = match extension.to_lowercase().as_str() {
            "obj" => read_obj(bytes)?,
            "stl" => read_stl(bytes)?,
            _ => return Err("a mesh is read from files that end in .obj or .stl".into()),
        };
        vertices.iter_mut().for_each(|vertex| *vertex *= self.scale);
        let (mesh, _) = TriangleMesh::repaired(&vertices, &triangles).map_err(|error| error.to_string())?;
        Ok(mesh)
    }
}

type Surface = (Vec<Vec3>, Vec<[u32; 3]>);

fn read_obj(bytes: &[u8]) -> Result<Surface, String> {
    let options = tobj::LoadOptions { triangulate: true, single_index: true, ..tobj::LoadOptions::default() };
    // Colours and textures are of no use here, so their files are not looked for.
    let no_materials = |_: &Path| Ok((Vec::new(), Default::default()));
    let read = tobj::load_obj_buf(&mut BufReader::new(bytes), &options, no_materials);
    let (models, _) = read.map_err(|error| error.to_string())?;
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for tobj::Model { mesh, .. } in models {
        let first = vertices.len() as u32;
        vertices.extend(mesh.positions.as_chunks::<3>().0.iter().map(|&point| Vec3::from_array(point)));
        triangles.extend(mesh.indices.as_chunks::<3>().0.iter().map(|corners| corners.map(|index| first + index)));
    }
    Ok((vertices, triangles))
}

fn read_stl(bytes: &[u8]) -> Result<Surface, String> {
    let mut cursor = Cursor::new(bytes);
    let facets = stl_io::create_stl_reader(&mut cursor).map_err(|error| error.to_string())?;
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for facet in facets {
        let facet = facet.map_err(|error| error.to_string())?;
        let first = vertices.len() as u32;
        vertices.extend(facet.vertices.map(|corner| Vec3::from_array(corner.0)));
        triangles.push([first, first + 1, first + 2]);
    }
    Ok((vertices, triangles))
}

impl<'de> Deserialize<'de> for ShapeFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ShapeVisitor)
    }
}

struct ShapeVisitor;

impl<'de> Visitor<'de> for ShapeVisitor {
    type Value = ShapeFile;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(r#"a shape, for example {"sphere": {"radius": 1}}"#)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ShapeFile, A::Error> {
        let Some(kind) = map.next_key::<String>()? else {
            return Err(A::Error::custom("a shape needs a kind, for example `sphere`"));
        };
        if kind == MESH_FILE {
            let file = map.next_value()?;
            return match map.next_key::<String>()? {
                None => Ok(ShapeFile::MeshFile(file)),
                Some(second) => {
                    Err(A::Error::custom(format_args!("a shape is of one kind; `{second}` is a second one")))
                }
            };
        }
        if !KINDS.contains(&kind.as_str()) {
            return Err(A::Error::unknown_variant(&kind, KINDS));
        }
        let again = Again { first: Some(kind), rest: map };
        Shape::deserialize(MapAccessDeserializer::new(again)).map(ShapeFile::Given)
    }
}

/// A map whose first key was read already.
struct Again<A> {
    first: Option<String>,
    rest: A,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Again<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        match self.first.take() {
            Some(key) => seed.deserialize(key.into_deserializer()).map(Some),
            None => self.rest.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.rest.next_value_seed(seed)
    }
}
