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
    try:
        return self.t < float("inf")
    except TypeError:  # arrays of Numba, and of GpuArray, do not compare
        return _numpy.asarray(self.t) < float("inf")


Hits.hit = property(_hit)
Hits.__doc__ = """Hits of n rays, or of n rays with up to k hits each. Arrays of float32, uint32 and bool.

t          (n,) or (n, k) where the hit is, at origin + t * direction; infinite without a hit
primitive  (n,) or (n, k) index of the triangle, box or sphere; treelight.NONE without a hit
instance   (n,) index of the instance that was hit, of trees of instances, else None
uv         (n, 2) or (n, k, 2) barycentric coordinates: a hit of the triangle with the vertices a, b
           and c is at (1 - u - v) a + u b + v c; 0 for boxes and spheres
normal     (n, 3) or (n, k, 3) unit normals, where they were asked for, else None: of triangles
           (b - a) x (c - a), whichever side is hit; of others outwards; 0 without a hit
count      (n,) number of hits in the row, of all_hits(), else None
hit        (n,) or (n, k) bools: whether there is a hit
"""
ClosestPoints.__doc__ = """Closest points of n queries. Arrays of float32 and uint32.

distance   (n,) in the unit of the coordinates; infinite where there is none
position   (n, 3) the point; the query where there is none
primitive  (n,) index of its triangle, box or sphere; treelight.NONE where there is none
uv         (n, 2) barycentric coordinates, as of Hits
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

    vertices  (n, 3) coordinates in any unit
    faces     (m, 3) indices of vertices; None: each three vertices are a triangle
    device    "auto" (the first GPU, else the CPU), "cpu", "cuda", "cuda:1"
    builder   "binned" (fast to query), "hploc" (built in a third of the time), "lbvh", "sah", ...
    settings  those of the tree and its builder, of which the most used are
              robust=True          no ray passes between triangles with a common edge
              max_leaf_size=4      most primitives in a leaf
              check_indices=False  faces that name no vertex are left out, and no build waits

        >>> tree = treelight.Tree([[0, 0, 0], [1, 0, 0], [0, 1, 0]], device="cpu")
        >>> tree.closest([[0.2, 0.2, 1]], [[0, 0, -1]]).t
        array([1.], dtype=float32)

    Other kinds of geometry: Tree.boxes(), Tree.spheres(), Tree.points(), Tree.instances(),
    Tree.from_patches(). All but points answer rays: closest(), occluded(), all_hits(), and all but
    patches count_hits(). Triangles, boxes and spheres answer closest_point() and in_boxes();
    triangles alone winding_number(), inside(), signed_distance(), signed_distance_grid() and pairs();
    points nearest(), within(), density() and sum().

    Arrays are of NumPy, PyTorch, CuPy, JAX, Numba, or any library with __cuda_array_interface__ or
    DLPack, in host memory or on the tree's GPU. float32 (int32 or uint32 for indices) is read without
    copies, other types and lists are converted. Results belong to the library of the first array, and
    lie where it does; with arrays on the GPU a call returns before its work is done, on the library's
    current stream. A single vector of (3,) counts as one row; with an array of (h, w, 3), as of the
    rays of a picture, results have (h, w) in place of (n,). Rays and points with NaN or infinite
    coordinates find nothing. Coordinates are held in single precision.

    Threads may query one tree at once. Raises ValueError for arrays that do not fit or queries that
    the tree does not answer, LookupError for an unknown device, builder or setting, MemoryError where
    the tree does not fit.
    """

    def __init__(self, vertices=None, faces=None, *, device="auto", builder="binned", **settings):
        """Builds the tree; without vertices it is empty, for rebuild()."""
        super().__init__(device, _settings(builder, settings))
        if vertices is not None:
            self._triangles(vertices, faces, False)

    @classmethod
    def boxes(cls, lower, upper, **settings):
        """A tree over axis-aligned boxes: (n, 3) lower and upper corners. Rays hit them from both
        sides; for closest points and overlaps they are solid. settings: device, builder and others
        of Tree."""
        tree = cls(**settings)
        tree._boxes(lower, upper, False)
        return tree

    @classmethod
    def spheres(cls, centers, radii, **settings):
        """A tree over spheres: (n, 3) centers and (n,) radii. settings: those of Tree."""
        tree = cls(**settings)
        tree._spheres(centers, radii, False)
        return tree

    @classmethod
    def points(cls, positions, **settings):
        """A kd-tree over (n, 3) points, for nearest(), within() and density(). settings: device.

            >>> cloud = treelight.Tree.points([[0, 0, 0], [1, 0, 0], [5, 0, 0]], device="cpu")
            >>> cloud.nearest([[0.9, 0, 0]], k=2)[0]
            array([[1, 0]], dtype=uint32)
        """
        tree = cls(**settings)
        tree._points(positions)
        return tree

    @classmethod
    def instances(cls, trees, transforms, **settings):
        """A tree over instances, for rays alone: a list of n trees of triangles or spheres, the same
        one as often as wanted, and (n, 3, 4) affine matrices from their space to the world. After one of the trees was rebuilt or refitted, refit() this one before the next
        ray; they are kept alive."""
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
        """The tree of a file that save() has written, built on any device. Raises OSError for a file
        that is missing or damaged."""
        tree = cls(device="cpu")
        tree._open(device, _os.fspath(path))
        return tree

    def save(self, path):
        """Writes the geometry and the settings to a file, whole or not at all; masks are not kept. Not
        for instances. Raises OSError where it cannot be written."""
        self._save(_os.fspath(path))

    def rebuild(self, vertices, faces=None):
        """Builds the tree of triangles anew, from other vertices and faces, as many as there are."""
        self._triangles(vertices, faces, False)
        self.__dict__.pop("_of", None)

    def refit(self, vertices, other=None):
        """Moves the primitives and keeps the tree's structure, several times faster than a build;
        rays are slower, the further things have moved. `vertices`: as many as before; of boxes the
        lower corners, of spheres the centers, of instances the matrices, of patches the control
        points. `other`: the upper corners or the radii. Points cannot be refitted. Raises ValueError for another number."""
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
        """A mask of 32 bits for each primitive, (n,) integers: rays with a mask hit primitives that
        have a bit in common with it. None: all bits are set, as after a build."""
        super().set_masks(masks)

    @property
    def info(self):
        """A dict: kind, device, builder; the numbers of primitives, of those dropped (NaN or infinite)
        and of nodes; bytes of the device's memory; lower and upper bounds, (3,); sah_cost, the
        expected cost of a ray in tests of primitives. Waits for the tree."""
        return self._info()

    def closest(self, origins, directions, t_min=None, t_max=None, masks=None, normals=False,
                coherent=False):
        """The closest hit of each ray: Hits.

        origins, directions  (n, 3); directions need no unit length, and t is in multiples of them
        t_min, t_max         (n,) or a number: hits count between them; 0 and infinity
        masks                (n,) integers: rays hit primitives with a common bit, see set_masks()
        normals              whether unit normals are wanted too
        coherent             each ray and the next have nearly the same direction, as those of a
                             camera or towards a small light: a GPU traces them sooner if it is told

            >>> hits = tree.closest(origins, directions)
            >>> hit = hits.hit
            >>> positions = origins[hit] + hits.t[hit, None] * directions[hit]
            >>> colours = colour_of_face[hits.primitive[hit]]
        """
        return self._closest(origins, directions, t_min, t_max, masks, normals,
                             hasattr(self, "_of"), coherent)

    def occluded(self, origins, directions, t_min=None, t_max=None, masks=None, coherent=False):
        """Whether each ray hits anything: (n,) bools, sooner than closest(), whose arguments it has.
        With directions to points and t_max=1, whether something lies before them."""
        return super().occluded(origins, directions, t_min, t_max, masks, coherent)

    def count_hits(self, origins, directions, t_min=None, t_max=None, masks=None):
        """The number of primitives that each ray hits: (n,) integers. A ray through a common edge may
        hit both triangles. Arguments as of closest()."""
        return super().count_hits(origins, directions, t_min, t_max, masks)

    def all_hits(self, origins, directions, k, t_min=None, t_max=None, masks=None, normals=False):
        """The first k hits (1 to 1024) of each ray in order of t: Hits with arrays of (n, k), and
        their number as `count`. Arguments as of closest()."""
        return self._all_hits(origins, directions, k, t_min, t_max, masks, normals,
                              hasattr(self, "_of"))

    def list_hits(self, origins, directions, t_min=None, t_max=None, masks=None, normals=False):
        """All hits of each ray in order of t: (offsets, Hits), int64 of (n + 1,) and arrays of (m,).
        Those of ray i are at offsets[i]:offsets[i + 1]. Waits for their number. Arguments as of
        closest(). Not for patches.

            >>> offsets, hits = tree.list_hits(origins, directions)
            >>> of_ray = numpy.repeat(numpy.arange(len(origins)), numpy.diff(offsets))    # beside hits
        """
        return self._list_hits(origins, directions, t_min, t_max, masks, normals,
                               hasattr(self, "_of"))

    def closest_point(self, points, most_distance=float("inf")):
        """The closest point of the surface to each of (n, 3) points, no further than most_distance:
        ClosestPoints. Boxes are solid, spheres are not.

            >>> tree.closest_point([[0.2, 0.2, 3]]).distance
            array([3.], dtype=float32)
        """
        return super().closest_point(points, most_distance)

    def winding_number(self, points, accuracy=2.0):
        """The generalised winding number of the triangles about each point, (n,): 1 inside and 0
        outside of a closed, outward-oriented mesh, between them near holes. It errs by at most about
        .006; by .0001 with accuracy=5, which takes longer."""
        return super().winding_number(points, accuracy)

    def signed_distance(self, points):
        """The distance of each of (n, 3) points to the triangles, (n,), negative inside: where the
        winding number is above 1/2. Faces have to be counter-clockwise seen from outside."""
        return super().signed_distance(points)

    def signed_distance_grid(self, origin, spacing, size):
        """signed_distance() on a grid: float32 of (size[2], size[1], size[0]), whose element [z, y, x]
        is that of origin + spacing * (x, y, z). Three numbers each, or one spacing for all axes. An
        array of the library that the vertices came from.

            >>> grid = tree.signed_distance_grid((-1, -1, -1), 2 / 63, (64, 64, 64))
        """
        if isinstance(spacing, (int, float)):
            spacing = (spacing,) * 3
        return super().signed_distance_grid(origin, spacing, size)

    def inside(self, points):
        """Whether the winding number of each of (n, 3) points is above 1/2: (n,) bools."""
        return super().inside(points)

    def in_boxes(self, lower, upper):
        """The primitives that intersect each of n boxes, given by (n, 3) corners: (offsets,
        primitives), int64 of (n + 1,) and indices. Those of box i are
        primitives[offsets[i]:offsets[i + 1]], in no order; touching counts. Waits for their number."""
        return super().in_boxes(lower, upper)

    def pairs(self, other=None):
        """All pairs of a triangle of this tree and one of `other` that intersect: (m, 2) indices, in no
        order. Without `other`, the triangles of this tree that intersect each other; those that
        share a vertex do not count. Waits for their number."""
        return self._pairs(self if other is None else other)

    def nearest(self, points, k=1, radius=float("inf")):
        """The k (1 to 128) points of the tree that are nearest to each of (n, 3) queries and closer than
        radius: (indices, distances), both (n, k), nearest first; treelight.NONE and infinite where
        there are fewer. A query that is a point of the tree finds itself first."""
        return super().nearest(points, k, radius)

    def within(self, points, radius):
        """The points of the tree closer than radius to each of (n, 3) queries: (offsets, indices,
        distances). offsets: int64 of (n + 1,); those of query i are at offsets[i]:offsets[i + 1], in
        no order. Waits for their number.

            >>> offsets, indices, distances = cloud.within([[0, 0, 0]], radius=2)
            >>> offsets, sorted(indices)
            (array([0, 2]), [0, 1])
            >>> of_query = numpy.repeat(numpy.arange(1), numpy.diff(offsets))    # beside indices
        """
        return super().within(points, radius)

    def density(self, points, k=8):
        """Points of the tree per volume about each of (n, 3) queries, (n,): k in the ball to the k-th
        nearest; 0 with fewer points."""
        return super().density(points, k)

    def sum(self, points=None, weights=None, kernel="inverse-distance", length=1.0, tolerance=1e-6,
            gradient=False):
        """The sum over the tree's points of weight * kernel(distance) at each query, (n,); with
        `gradient` a pair of the sums and their gradients, (n, 3). points: (n, 3), or None: the
        tree's own. weights: one for each point of the tree, or None: 1. kernel, length and tolerance
        are those of treelight.fmm(). Queries with NaN or infinite coordinates have the sum NaN."""
        sums, gradients = self._sum(points, weights, kernel, length, tolerance, gradient)
        return (sums, gradients) if gradient else sums


def pinhole_rays(width, height, eye, target, up=(0, 1, 0), fov=45.0):
    """The rays of a camera through the middles of its pixels, for a picture by closest() or occluded():
    (origins, directions), float32 of (height, width, 3) from the top left, as arrays of results then
    are. Directions are of length 1, so that t is a distance.

    width, height    pixels
    eye, target, up  three numbers each: the camera's place, what it looks at, and a vector that is
                     upright in the picture
    fov              angle from the lower to the upper edge, degrees, as of render()

        >>> tree = treelight.Tree([[0, 0, 0], [1, 0, 0], [0, 1, 0]], device="cpu")
        >>> origins, directions = treelight.pinhole_rays(4, 3, eye=(0.3, 0.3, 2), target=(0.3, 0.3, 0))
        >>> tree.closest(origins, directions).t.shape
        (3, 4)
    """
    if width < 1 or height < 1 or not 0 < fov < 180:
        raise ValueError("a camera needs width and height of at least 1, and fov between 0 and 180")
    eye, target, up = (_numpy.asarray(v, _numpy.float64).reshape(3) for v in (eye, target, up))
    forward = target - eye
    length = _numpy.linalg.norm(forward)
    if not length > 0:
        raise ValueError("eye and target are the same point")
    forward = forward / length
    side = _numpy.cross(forward, up)
    if _numpy.linalg.norm(side) < 1e-6:  # the camera looks along `up`
        side = _numpy.cross(forward, (1, 0, 0) if abs(forward[0]) < 0.9 else (0, 1, 0))
    side /= _numpy.linalg.norm(side)
    step = 2 * _numpy.tan(_numpy.radians(fov) / 2) / height
    x = (_numpy.arange(width) + 0.5 - width / 2) * step
    y = (_numpy.arange(height) + 0.5 - height / 2) * step
    directions = (forward + x[None, :, None] * side
                  - y[:, None, None] * _numpy.cross(side, forward))
    directions /= _numpy.linalg.norm(directions, axis=-1, keepdims=True)
    origins = _numpy.broadcast_to(eye, directions.shape)
    return origins.astype(_numpy.float32), directions.astype(_numpy.float32)


def _nearest_distances(a, b, device):
    """Distances from each point of a to b, and of b to a. Clouds without points are refused."""
    trees = [Tree.points(points, device=device) for points in (a, b)]
    for name, tree in zip("ab", trees):
        if tree.info["primitives"] == tree.info["dropped"]:
            raise ValueError(f"{name} has no points")
    return trees[1].nearest(a)[1], trees[0].nearest(b)[1]


def chamfer_distance(a, b, squared=False, device="auto"):
    """The chamfer distance of two clouds of (n, 3) and (m, 3) points: the mean distance from points of
    a to their nearest of b, plus that from b to a. squared: means of squares, as PyTorch3D has it.
    Raises ValueError for a cloud without points.

        >>> float(treelight.chamfer_distance([[0, 0, 0]], [[1, 0, 0], [3, 0, 0]], device="cpu"))
        3.0
    """
    there, back = _nearest_distances(a, b, device)
    return (there**2).mean() + (back**2).mean() if squared else there.mean() + back.mean()


def hausdorff_distance(a, b, directed=False, device="auto"):
    """The Hausdorff distance of two clouds of (n, 3) and (m, 3) points: the greatest distance from a
    point to its nearest of the other cloud; directed: from points of a only. Raises ValueError for
    a cloud without points.

        >>> float(treelight.hausdorff_distance([[0, 0, 0]], [[1, 0, 0], [3, 0, 0]], device="cpu"))
        3.0
    """
    there, back = _nearest_distances(a, b, device)
    return there.max() if directed else max(there.max(), back.max())
