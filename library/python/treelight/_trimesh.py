"""Rays of trimesh by the trees of this module."""
import numpy as _numpy

from ._trees import Tree


class RayMeshIntersector:
    """Rays through a mesh, in place of trimesh's own intersectors: after

        mesh.ray = treelight.RayMeshIntersector(mesh)

    `mesh.ray` and `mesh.contains()` use the trees of this module. Methods, arguments, types and order
    of results are those of trimesh.ray.ray_pyembree: first hits of all rays, then second hits. Hits
    closer to each other than a millionth of the mesh, as on a common edge, are one hit.

    geometry      anything with `vertices` (n, 3) and `faces` (m, 3)
    scale_to_box  whether the mesh is moved to the origin before it is stored in single precision
    settings      those of Tree: device="cuda", builder="hploc", ...; robust is True by default

    The tree is built by the first call, and again when the mesh's hash has changed, as that of a mesh of
    trimesh does when it is moved. Locations are computed in double precision. Rays start at their
    origins, in units of the mesh; directions need no unit length. Raises ValueError for arrays of
    other shapes than (n, 3), or of different numbers.

        >>> import types
        >>> mesh = types.SimpleNamespace(vertices=[[0, 0, 0], [1, 0, 0], [0, 1, 0]], faces=[[0, 1, 2]])
        >>> rays = treelight.RayMeshIntersector(mesh, device="cpu")
        >>> locations, index_ray, index_tri = rays.intersects_location([[0.2, 0.3, 1]], [[0, 0, -1]])
        >>> locations, index_ray, index_tri
        (array([[0.2, 0.3, 0. ]]), array([0]), array([0]))
    """

    def __init__(self, geometry, scale_to_box=True, **settings):
        self.mesh = geometry
        self._scale_to_box = scale_to_box
        self._settings = {"robust": True, **settings}
        self._tree = None

    def __getstate__(self):
        return {**self.__dict__, "_tree": None}  # trees are built anew where they are unpickled

    def __copy__(self):
        return RayMeshIntersector(self.mesh, self._scale_to_box, **self._settings)

    def __deepcopy__(self, memo):
        return self.__copy__()

    def _mesh_version(self):
        """Changes with the mesh: a mesh of trimesh has the hash of its arrays."""
        return hash(self.mesh) if self.mesh.__hash__ else None

    def _current(self):
        """The tree of the mesh as it is now."""
        version = self._mesh_version()
        if self._tree is None or version != self._version:
            self._version = version
            vertices = _numpy.array(self.mesh.vertices, dtype=_numpy.float64).reshape(-1, 3)
            self._faces = _numpy.asarray(self.mesh.faces).reshape(-1, 3)
            self._shift = (vertices.min(axis=0) + vertices.max(axis=0)) / 2 if (
                self._scale_to_box and len(vertices)) else _numpy.zeros(3)
            self._vertices = vertices - self._shift
            extent = _numpy.ptp(vertices, axis=0) if len(vertices) else 0.0
            self._least_gap = 1e-6 * float(_numpy.linalg.norm(extent))
            self._tree = Tree(self._vertices, self._faces, **self._settings)
        return self._tree

    def _rows(self, values, name):
        values = _numpy.asarray(values, dtype=_numpy.float64)
        if values.size == 0 or values.ndim == 1:
            values = values.reshape(-1, 3)
        if values.ndim != 2 or values.shape[1] != 3:
            raise ValueError(f"{name} need the shape (n, 3), not {values.shape}")
        return values

    def _rays(self, ray_origins, ray_directions):
        """The tree, and the rays in its space."""
        tree = self._current()
        return (tree, self._rows(ray_origins, "ray_origins") - self._shift,
                self._rows(ray_directions, "ray_directions"))

    def _all(self, tree, origins, directions, max_hits):
        """All hits, by their number along the ray and then by the ray: (index of the ray, triangle, t)."""
        if max_hits == 1:
            hits = tree.closest(origins, directions)
            rays = _numpy.nonzero(hits.hit)[0]
            return rays, hits.primitive[rays].astype(int), hits.t[rays]
        offsets, hits = tree.list_hits(origins, directions)
        counts = _numpy.diff(offsets)
        rays = _numpy.repeat(_numpy.arange(len(origins)), counts)
        counted = self._first_of_each(rays, hits.t, directions)
        numbers = _numpy.cumsum(counted)
        numbers -= _numpy.repeat(numbers[offsets[:-1][counts > 0]], counts[counts > 0])
        kept = _numpy.nonzero(counted & (numbers < max_hits))[0]
        kept = kept[_numpy.argsort(numbers[kept], kind="stable")]
        return rays[kept], hits.primitive[kept].astype(int), hits.t[kept]

    def _first_of_each(self, rays, t, directions):
        """Hits without those at the place of the one before, as triangles with a common edge have."""
        counted = _numpy.ones(len(t), bool)
        lengths = _numpy.linalg.norm(directions, axis=1)[rays[1:]]
        t = t.astype(_numpy.float64)
        rounding = 4 * _numpy.finfo(_numpy.float32).eps * t[1:]
        apart = (_numpy.diff(t) - rounding) * lengths > self._least_gap
        counted[1:] = apart | (rays[1:] != rays[:-1])
        return counted

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
        return origins[rays] + directions[rays] * t[:, None] + self._shift

    def intersects_id(self, ray_origins, ray_directions, multiple_hits=True, max_hits=100,
                      return_locations=False):
        """The triangles that rays hit: (index_tri, index_ray), integers of (m,), and with
        return_locations also locations, float64 of (m, 3).

        multiple_hits  False: only the first hit of each ray
        max_hits       most hits of a ray
        """
        tree, *rays = self._rays(ray_origins, ray_directions)
        of_rays, triangles, t = self._all(tree, *rays, max_hits if multiple_hits else 1)
        if return_locations:
            return triangles, of_rays, self._locations(*rays, of_rays, triangles, t)
        return triangles, of_rays

    def intersects_location(self, ray_origins, ray_directions, multiple_hits=True):
        """Where rays hit: (locations, index_ray, index_tri), float64 of (m, 3) and integers of (m,).
        multiple_hits=False: only the first hit of each ray."""
        triangles, rays, locations = self.intersects_id(ray_origins, ray_directions, multiple_hits,
                                                        _numpy.inf, return_locations=True)
        return locations, rays, triangles

    def intersects_first(self, ray_origins, ray_directions):
        """The first triangle that each ray hits: int64 of (n,), -1 for none."""
        tree, *rays = self._rays(ray_origins, ray_directions)
        hits = tree.closest(*rays)
        return _numpy.where(hits.hit, hits.primitive.astype(_numpy.int64), -1)

    def intersects_any(self, ray_origins, ray_directions):
        """Whether each ray hits the mesh: bools of (n,)."""
        tree, *rays = self._rays(ray_origins, ray_directions)
        return tree.occluded(*rays)

    def contains_points(self, points):
        """Whether each of (n, 3) points is inside the mesh, by its winding number: bools of (n,). Works
        for meshes with holes, and for those whose faces all look inwards."""
        tree = self._current()
        return abs(tree.winding_number(self._rows(points, "points") - self._shift)) > 0.5
