// Parameters of a pass of vertex connection and merging, which is one sample of the picture, and
// its light vertices.
#pragma once

#include "renderer/path/path_job.h"
#include "renderer/photon/photon_grid.h"
#include "renderer/photon/vcm/camera_plane.h"
#include "renderer/photon/vcm/path_vertex.h"

TL_DEVICE_BEGIN

struct VcmPass {
    PathTracerFrame frame;
    CameraPlane plane;
    VcmBalance balance;
    float radius;                 ///< merge radius, m
    std::uint32_t n_light_paths;  ///< 0: no technique needs any
    const Box* around;            ///< box around the scene; on the device
};

/// Vertices of all light sub-paths, in the order in which they were stored, which differs from run
/// to run. Arrays are empty where the pass does not use them.
struct LightVertices {
    View<PathVertex> vertices;
    View<std::uint32_t> newest;           ///< per light sub-path, the vertex stored last, or kNone
    std::uint32_t* n_vertices = nullptr;  ///< number of vertices; on the device
    /// Vertices that can be merged: from the second surface that light hits onwards.
    PhotonList photons;
    View<SubPathSums> sums;  ///< one per photon
};

TL_DEVICE_END
