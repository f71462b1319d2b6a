// A pass of vertex connection and merging, as its kernels see it: one sample of the picture.
#pragma once

#include "renderer/paths/path_job.h"
#include "renderer/photon/photon_grid.h"
#include "renderer/photon/vcm/camera_plane.h"
#include "renderer/photon/vcm/path_vertex.h"

TL_DEVICE_BEGIN

struct VcmPass {
    PathTracerFrame frame;
    CameraPlane plane;
    VcmBalance balance;
    float radius;                 ///< within which vertices merge, m
    std::uint32_t n_light_paths;  ///< 0: none are needed
    const Box* around;            ///< on the device: a box around the scene
};

/// The vertices of all light sub-paths, in the order in which they were stored, which differs from
/// run to run. Arrays are empty where the pass does not use them.
struct LightVertices {
    View<PathVertex> vertices;
    View<std::uint32_t> newest;           ///< of each light sub-path the last one stored, or kNone
    std::uint32_t* n_vertices = nullptr;  ///< on the device
    /// Those that are merged: from the second surface on that light meets.
    PhotonList photons;
    View<SubPathSums> sums;  ///< of the photons
};

TL_DEVICE_END
