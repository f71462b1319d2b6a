// Next-event estimation, connection and merging at the vertices of camera sub-paths.
#pragma once

#include "renderer/path/path_queues.h"
#include "renderer/photon/vcm/vcm_pass.h"

TL_DEVICE_BEGIN

/// Lengths of a bounce's queues, on the device. Each has its own cache line, as in WaveCounts.
struct CameraCounts {
    alignas(128) std::uint32_t n_rays;
    alignas(128) std::uint32_t n_vertices;
    alignas(128) std::uint32_t n_shadows;
};

/// Vertices of one bounce and their shadow rays, as one linked list per vertex. Here
/// ArrivingLight::pixel is the index of the vertex's previous shadow ray, or PathVertex::kNone.
struct CameraVertices {
    View<PathVertex> vertices;
    View<std::uint32_t> newest;  ///< last shadow ray of each vertex
    ShadowQueue shadows;

    CameraVertices(Scratch& scratch, std::uint32_t n, std::uint32_t n_shadows)
        : vertices(scratch.take<PathVertex>(n)),
          newest(scratch.take<std::uint32_t>(n)),
          shadows(scratch, n_shadows) {}
};

/// Appends shadow rays from each vertex to a sample of one emitter, and to all vertices of one
/// light sub-path, which is paired with the pixel.
void connect_vertices(Stream& stream, const VcmPass& pass, const LightVertices& list,
                      const CameraVertices& from, CameraCounts* counts);
/// Adds the light of unoccluded shadow rays, and the number of rays, to sums[pixel].
void add_connections(Stream& stream, const CameraVertices& from, const CameraCounts* counts,
                     View<vec4> sums);
/// Adds the light of the light vertices within the merge radius, which `grid` finds.
void merge_vertices(Stream& stream, const VcmPass& pass, const LightVertices& list,
                    const PhotonGridView& grid, const CameraVertices& from,
                    const CameraCounts* counts, View<vec4> sums);

TL_DEVICE_END
