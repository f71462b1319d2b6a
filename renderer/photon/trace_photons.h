// Photons leave the sources and are scattered from surface to surface, all of a pass together,
// bounce by bounce. Whether one goes on is drawn so that those which do keep their power.
#pragma once

#include "accel/box.h"
#include "renderer/paths/path_limits.h"
#include "renderer/photon/photon.h"
#include "renderer/photon/photon_guide.h"
#include "renderer/scene/live/scene_view.h"
#include "renderer/shading/sampling_config.h"

TL_DEVICE_BEGIN

struct PhotonPass {
    SceneView scene;
    SamplePattern pattern;
    std::uint64_t seed;
    std::uint32_t pass;
    std::uint32_t n_photons;   ///< that leave the sources
    std::uint32_t max_depth;   ///< most surfaces that a photon meets
    const Box* around;         ///< on the device: a box around the scene
    bool with_direct = false;  ///< whether photons are stored at the first surface, too
    BeamKernel kernel{};     ///< of PhotonList::shapes, where photons of sources without a size or
                             ///< a place have one
    bool has_glass = false;  ///< there may be some in the scene
    bool caustics_only = false;  ///< whether they end where they are first scattered broadly
    bool draws_parts = false;    ///< whether it is drawn, where a surface scatters both broadly and
                               ///< not, which of them a photon is of; otherwise it is of the former

    /// Whether rays have a PhotonBeam.
    [[nodiscard]] bool has_beams() const { return kernel.spread > 0; }
    /// Whether photons may split.
    [[nodiscard]] bool splits() const { return has_beams() && has_glass; }

    // The id of a photon that is stored: its number, its way since it split, surfaces that it has
    // met but one. A ray has number and way in another order.
    static constexpr int kNumberBits = 24, kWayBits = 2, kMetBits = 6;
    static constexpr std::uint32_t kNumberMask = (1u << kNumberBits) - 1;
    /// Surfaces, from the first on, at which a photon may split.
    static constexpr std::uint32_t kMostSplits = 3;
    static_assert(PathLimits::kMaxDepth <= 1 << kMetBits && kMostSplits < 1 << kWayBits);
    /// The largest id that there may be.
    [[nodiscard]] std::uint32_t last_id() const { return (n_photons << (kWayBits + kMetBits)) - 1; }
};

/// Photons that may split and are traced together, at most.
inline constexpr std::uint32_t kMostSplitTogether = 1u << 20;
/// Bytes of scratch memory that trace_photons takes for each photon, with beams, and for each of
/// those that may split together.
inline constexpr std::size_t kTracedPhotonBytes = 150, kBeamPhotonBytes = 280,
                             kSplitPhotonBytes = (1 + PhotonPass::kMostSplits) * kBeamPhotonBytes;

/// Sets list.count to 0 and stores the photons that arrive, where a surface scatters broadly and
/// after they were scattered before, or with `with_direct` in any case. Their power is a part of
/// all that the pass emits. With a `guide`, photons are sent by what it knows, or where that is
/// nothing, by what the first of them find; it learns from those of this pass. Never waits.
void trace_photons(Scratch& scratch, const PhotonPass& pass, const PhotonList& list,
                   LearnedGuide* guide = nullptr);

TL_DEVICE_END
