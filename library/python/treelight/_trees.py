"""Trees over geometry: rays, closest points, signed distances, overlaps and neighbours."""
import os as _os

import numpy as _numpy

from ._treelight import _ClosestPoints as ClosestPoints
from ._treelight import _Hits as Hits
from ._treelight import _Tree

#: Index of no primitive. PyTorch has no unsigned integers of 32 bits: there it is -1.
NONE = 0xffffffff


def _hit(self):
    """Whether there is a hit: bools of the shape of `primitive`."""
    return self.t < float("inf")


Hits.hit = property(_hit)
Hits.__doc__ = """Hits of n rays, or of n rays with up to k hits each.

t          (n,) or (n, k) distances, in multiples of the direction; infinite where there is no hit
primitive  (n,) or (n, k) indices; treelight.NONE where there is no hit
instance   (n,) index of the instance that was hit, of trees of instances, else None
uv         (n, 2) or (n, k, 2) barycentric coordinates of vertices 1 and 2 of a triangle
normal     (n, 3) or (n, k, 3) unit normals, where they were asked for, else None
count      (n,) number of hits, of all_hits(), else None
hit        (n,) or (n, k) bools
"""
ClosestPoints.__doc__ = """Closest points of n queries.

distance   (n,); infinite where there is none
position   (n, 3) the point; the query where there is none
primitive  (n,) indices; treelight.NONE where there is none
uv         (n, 2) barycentric coordinates of vertices 1 and 2 of a triangle
"""


def _settings(builder, settings):
    texts = [("builder", builder)]
    for name, value in settings.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        texts.append((name.replace("_", "-"), text))
    return texts


def _rows(values, components=None):
    """The values of arrays of any library as rows, without a copy where they have no gaps."""
    if not hasattr(values, "reshape"):
        values = _numpy.asarray(values, dtype=_numpy.float32)
    return values.reshape((-1, components) if components else (-1,))


class Tree(_Tree):
    """A tree over triangles, for rays and queries on the CPU or a GPU.

    vertices  (n, 3) float32; faces: (m, 3) integers, or None: each three vertices are a triangle
    device    "auto" (the first GPU, else the CPU), "cpu", "cuda", "cuda:1"
    builder   "binned" (fast to query), "hploc" (built in a third of the time), "lbvh", "sah", ...
    settings  those of the tree and its builder: robust=True, max_leaf_size=4, layout="bvh2", ...

        >>> tree = treelight.Tree([[0, 0, 0], [1, 0, 0], [0, 1, 0]], device="cpu")
        >>> tree.closest([[0.2, 0.2, 1]], [[0, 0, -1]]).t
        array([1.], dtype=float32)

    Other kinds of geometry: Tree.boxes(), Tree.spheres(), Tree.points(), Tree.instances(),
    Tree.from_patches().

    Arrays are of NumPy, or lie on the GPU of the tree and belong to PyTorch, CuPy or another library
    with __cuda_array_interface__; they are read without copies, on the library's current stream,
    which is not waited for. Results are arrays of PyTorch or CuPy where the first array is; else of
    NumPy. float64 and strided arrays of NumPy are taken too. Rays and points with NaN or infinite
    coordinates find nothing. Threads may query one tree at once.
    """

    def __init__(self, vertices=None, faces=None, *, device="auto", builder="binned", **settings):
        super().__init__(device, _settings(builder, settings))
        if vertices is not None:
            self._triangles(vertices, faces, False)

    @classmethod
    def boxes(cls, lower, upper, **settings):
        """A tree over axis-aligned boxes: (n, 3) lower and upper corners. Rays hit them from both
        sides; for closest points and overlaps they are solid."""
        tree = cls(**settings)
        tree._boxes(lower, upper, False)
        return tree

    @classmethod
    def spheres(cls, centers, radii, **settings):
        """A tree over spheres: (n, 3) centers and (n,) radii."""
        tree = cls(**settings)
        tree._spheres(centers, radii, False)
        return tree

    @classmethod
    def points(cls, positions, **settings):
        """A tree over (n, 3) points, for nearest(), within() and density()."""
        tree = cls(**settings)
        tree._points(positions)
        return tree

    @classmethod
    def instances(cls, trees, transforms, **settings):
        """A tree over instances, for rays alone: a list of trees of triangles or spheres, and
        (n, 3, 4) affine matrices from their space to the world. The trees must not be rebuilt while
        it is used; they are kept alive."""
        tree = cls(**settings)
        tree._of = list(trees)
        tree._instances(tree._of, transforms, False)
        return tree

    @classmethod
    def from_patches(cls, points, weights=None, **settings):
        """A tree over bicubic Bezier patches, for rays alone: (n, 4, 4, 3) control points, of which
        [:, i, j] belongs to the Bernstein polynomials B_i(u) B_j(v). weights: (n, 4, 4), above 0,
        of rational patches. Hits have u and v as `uv`; a ray may hit a patch several times."""
        tree = cls(**settings)
        tree._patches(_rows(points, 3), None if weights is None else _rows(weights), False)
        return tree

    @classmethod
    def open(cls, path, device="auto"):
        """The tree of a file that save() has written, built on any device."""
        tree = cls(device="cpu")
        tree._open(device, _os.fspath(path))
        return tree

    def save(self, path):
        """Writes the geometry and the settings to a file, whole or not at all. Not for instances."""
        self._save(_os.fspath(path))

    def rebuild(self, vertices, faces=None):
        """Builds the tree of triangles anew, from other vertices and faces."""
        self._triangles(vertices, faces, False)
        self.__dict__.pop("_of", None)

    def refit(self, vertices, other=None):
        """Moves the primitives and keeps the tree's structure, several times faster than a build;
        rays are slower, the further things have moved. `vertices`: as many as before; of boxes the
        lower corners, of spheres the centers, of instances the matrices, of patches the control
        points. `other`: the upper corners or the radii."""
        kind = self._info()["kind"]
        if kind == "triangles":
            self._triangles(vertices, None, True)
        elif kind == "boxes":
            self._boxes(vertices, other, True)
        elif kind == "spheres":
            self._spheres(vertices, other, True)
        elif kind == "patches":
            self._patches(_rows(vertices, 3), None, True)
        elif kind == "instances":
            self._instances(self._of, vertices, True)
        else:
            raise ValueError("a tree of points cannot be refitted: build it anew")

    def set_masks(self, masks):
        """A mask of 32 bits for each primitive, or None: rays with a mask hit primitives that have
        a bit in common with it."""
        super().set_masks(masks)

    @property
    def info(self):
        """A dict: kind, device, builder, number of primitives, of those dropped (NaN or infinite)
        and of nodes, bytes of memory, lower and upper bounds, sah_cost. Waits for the tree."""
        return self._info()

    def closest(self, origins, directions, t_min=None, t_max=None, masks=None, normals=False):
        """The closest hit of each ray: Hits. origins and directions: (n, 3); directions need no
        unit length, and t is in multiples of them. t_min, t_max: (n,) or a number; 0 and infinity.
        masks: (n,) integers. normals: whether unit normals are wanted too."""
        return self._closest(origins, directions, t_min, t_max, masks, normals,
                             hasattr(self, "_of"))

    def occluded(self, origins, directions, t_min=None, t_max=None, masks=None):
        """Whether each ray hits anything: (n,) bools. Arguments as of closest()."""
        return super().occluded(origins, directions, t_min, t_max, masks)

    def count_hits(self, origins, directions, t_min=None, t_max=None, masks=None):
        """The number of primitives that each ray hits: (n,) integers. Not for instances."""
        return super().count_hits(origins, directions, t_min, t_max, masks)

    def all_hits(self, origins, directions, k, t_min=None, t_max=None, masks=None, normals=False):
        """The first k hits (1 to 1024) of each ray in order of t: Hits with arrays of (n, k), and
        their number as `count`. Not for instances."""
        return super().all_hits(origins, directions, k, t_min, t_max, masks, normals)

    def closest_point(self, points, most_distance=float("inf")):
        """The closest point of the surface to each of (n, 3) points, no further than most_distance:
        ClosestPoints. Boxes are solid."""
        return super().closest_point(points, most_distance)

    def winding_number(self, points, accuracy=2.0):
        """The generalised winding number of the triangles about each point, (n,): 1 inside and 0
        outside of a closed, outward-oriented mesh, between them near holes. It errs by at most about
        .006; by .0001 with accuracy=5, which takes longer."""
        return super().winding_number(points, accuracy)

    def signed_distance(self, points):
        """The distance of each point to the triangles, (n,), negative inside: where the winding
        number is above 1/2."""
        return super().signed_distance(points)

    def signed_distance_grid(self, origin, spacing, size):
        """signed_distance() on a grid: an array of (size[2], size[1], size[0]), whose element
        [z, y, x] is that of origin + spacing * (x, y, z)."""
        return super().signed_distance_grid(origin, spacing, size)

    def inside(self, points):
        """Whether the winding number of each point is above 1/2: (n,) bools."""
        return super().inside(points)

    def in_boxes(self, lower, upper):
        """The primitives that meet each of n boxes, given by (n, 3) corners: (offsets, primitives),
        where those of box i are primitives[offsets[i]:offsets[i + 1]], in no order."""
        return super().in_boxes(lower, upper)

    def pairs(self, other=None):
        """All pairs of a triangle of this tree and one of `other` that meet: (m, 2) indices. Without
        `other`, the triangles of this tree that meet each other; those that share a vertex do not
        count."""
        return self._pairs(self if other is None else other)

    def nearest(self, points, k=1, radius=float("inf")):
        """The k (1 to 128) points of the tree that are nearest to each query and closer than radius:
        (indices, distances), both (n, k), nearest first; NONE and infinite where there are fewer."""
        return super().nearest(points, k, radius)

    def within(self, points, radius):
        """The points of the tree closer than radius to each query: (offsets, indices, distances),
        where those of query i are at offsets[i]:offsets[i + 1], in no order."""
        return super().within(points, radius)

    def density(self, points, k=8):
        """Points of the tree per volume about each query, by the distance of the k-th nearest."""
        return super().density(points, k)

    def sum(self, points=None, weights=None, kernel="inverse-distance", length=1.0, tolerance=1e-6,
            gradient=False):
        """The sum over the tree's points of weight * kernel(distance) at each query, (n,); with
        `gradient` a pair of the sums and their gradients, (n, 3). points: (n, 3), or None: the
        tree's own. weights: one for each point of the tree, or None: 1. kernel, length and tolerance
        are those of treelight.fmm(). Queries with NaN or infinite coordinates have the sum NaN."""
        sums, gradients = self._sum(points, weights, kernel, length, tolerance, gradient)
        return (sums, gradients) if gradient else sums


class RayMeshIntersector:
    """Rays through a mesh, with the methods of trimesh's ray intersectors: after

        mesh.ray = treelight.RayMeshIntersector(mesh)

    the trees of this module answer those of `mesh.ray`. mesh: anything with `vertices` and `faces`.
    settings: those of Tree. The tree is rebuilt when the mesh's hash has changed, as that of a mesh
    of trimesh does when it is moved. Locations are computed in double precision.

        >>> import types
        >>> mesh = types.SimpleNamespace(vertices=[[0, 0, 0], [1, 0, 0], [0, 1, 0]], faces=[[0, 1, 2]])
        >>> rays = treelight.RayMeshIntersector(mesh, device="cpu")
        >>> locations, index_ray, index_tri = rays.intersects_location([[0.2, 0.3, 1]], [[0, 0, -1]])
        >>> locations, index_ray, index_tri
        (array([[0.2, 0.3, 0. ]]), array([0]), array([0]))
    """

    _RAYS_AT_ONCE = 65536  # limits the memory of lists of hits

    def __init__(self, geometry, **settings):
        self.mesh = geometry
        self._settings = settings
        self._build()

    def _build(self):
        self._version = self._mesh_version()
        self._vertices = _numpy.asarray(self.mesh.vertices, dtype=_numpy.float64)
        self._faces = _numpy.asarray(self.mesh.faces)
        self._tree = Tree(self._vertices, self._faces, **self._settings)

    def _mesh_version(self):
        """Changes with the mesh: a mesh of trimesh has the hash of its arrays."""
        return hash(self.mesh) if self.mesh.__hash__ else None

    def _current(self):
        """The tree of the mesh as it is now."""
        if self._mesh_version() != self._version:
            self._build()
        return self._tree

    def _rays(self, ray_origins, ray_directions):
        return (_numpy.asarray(ray_origins, dtype=_numpy.float64).reshape(-1, 3),
                _numpy.asarray(ray_directions, dtype=_numpy.float64).reshape(-1, 3))

    def _all(self, origins, directions, max_hits):
        """All hits, ray by ray in order: (index of the ray, triangle, t)."""
        tree = self._current()
        counts = _numpy.minimum(tree.count_hits(origins, directions), min(max_hits, 1024))
        parts = [(_numpy.zeros(0, int), _numpy.zeros(0, int), _numpy.zeros(0, _numpy.float32))]
        for ray in range(0, len(origins), self._RAYS_AT_ONCE):
            part = slice(ray, ray + self._RAYS_AT_ONCE)
            k = int(counts[part].max())
            if k == 0:
                continue
            hits = tree.all_hits(origins[part], directions[part], k)
            rays, places = _numpy.nonzero(hits.hit)
            parts.append((rays + ray, hits.primitive[rays, places].astype(int),
                          hits.t[rays, places]))
        return [_numpy.concatenate(column) for column in zip(*parts)]

    def _locations(self, origins, directions, rays, triangles, t):
        """Where rays meet the planes of the triangles, in double precision."""
        a, b, c = (self._vertices[self._faces[triangles, k]] for k in range(3))
        normals = _numpy.cross(b - a, c - a)
        along = _numpy.einsum("ij,ij->i", normals, directions[rays])
        steep = abs(along) > 1e-6 * (_numpy.linalg.norm(normals, axis=1) *
                                     _numpy.linalg.norm(directions[rays], axis=1))
        # Rays almost within a triangle's plane keep the t of the tree.
        t = t.astype(_numpy.float64)
        numerators = _numpy.einsum("ij,ij->i", normals, a - origins[rays])
        t[steep] = numerators[steep] / along[steep]
        return origins[rays] + directions[rays] * t[:, None]

    def intersects_id(self, ray_origins, ray_directions, multiple_hits=True, max_hits=20,
                      return_locations=False):
        """(index_tri, index_ray), with return_locations also (m, 3) locations: the triangles that
        rays hit, or with multiple_hits=False the first of each ray."""
        given = self._rays(ray_origins, ray_directions)
        rays, triangles, t = self._all(*given, max_hits if multiple_hits else 1)
        if return_locations:
            return triangles, rays, self._locations(*given, rays, triangles, t)
        return triangles, rays

    def intersects_location(self, ray_origins, ray_directions, multiple_hits=True):
        """(locations, index_ray, index_tri) of hits, or of each ray's first."""
        given = self._rays(ray_origins, ray_directions)
        rays, triangles, t = self._all(*given, 1024 if multiple_hits else 1)
        return self._locations(*given, rays, triangles, t), rays, triangles

    def intersects_first(self, ray_origins, ray_directions):
        """The first triangle that each ray hits, (n,); -1 for none."""
        hits = self._current().closest(*self._rays(ray_origins, ray_directions))
        return _numpy.where(hits.hit, hits.primitive.astype(_numpy.int64), -1)

    def intersects_any(self, ray_origins, ray_directions):
        """Whether each ray hits the mesh, (n,) bools."""
        return self._current().occluded(*self._rays(ray_origins, ray_directions))

    def contains_points(self, points):
        """Whether each point is inside the mesh, by its winding number: (n,) bools. Works for meshes
        with holes, too."""
        return self._current().inside(_numpy.asarray(points, dtype=_numpy.float32).reshape(-1, 3))
