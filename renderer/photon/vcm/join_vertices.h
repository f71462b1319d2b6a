// Where camera sub-paths have met surfaces, they are joined to sources and to the vertices of light
// sub-paths.
#pragma once

#include "renderer/paths/path_queues.h"
#include "renderer/photon/vcm/vcm_pass.h"

TL_DEVICE_BEGIN

/// The lengths of a bounce's queues, on the device, apart as those of WaveCounts.
struct CameraCounts {
    alignas(128) std::uint32_t n_rays;
    alignas(128) std::uint32_t n_vertices;
    alignas(128) std::uint32_t n_shadows;
};

/// The vertices of one bounce, and the shadow rays from them, as lists: ArrivingLight::pixel is
/// here the number of the vertex's shadow ray before it, or PathVertex::kNone.
struct CameraVertices {
    View<PathVertex> vertices;
    View<std::uint32_t> newest;  ///< shadow ray of each vertex
    ShadowQueue shadows;

    CameraVertices(Scratch& scratch, std::uint32_t n, std::uint32_t n_shadows)
        : vertices(scratch.take<PathVertex>(n)),
          newest(scratch.take<std::uint32_t>(n)),
          shadows(scratch, n_shadows) {}
};

/// Appends the shadow rays to a sample of one source, and to all vertices of the light sub-path
/// that the vertex's pixel is paired with.
void connect_vertices(Stream& stream, const VcmPass& pass, const LightVertices& list,
                      const CameraVertices& from, CameraCounts* counts);
/// Adds to sums[pixel] the light that its shadow rays let pass, and the number of rays.
void add_connections(Stream& stream, const CameraVertices& from, const CameraCounts* counts,
                     View<vec4> sums);
/// Adds the light of vertices of light sub-paths within the radius, which `grid` finds.
void merge_vertices(Stream& stream, const VcmPass& pass, const LightVertices& list,
                    const PhotonGridView& grid, const CameraVertices& from,
                    const CameraCounts* counts, View<vec4> sums);

TL_DEVICE_END
