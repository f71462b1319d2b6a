// Photon tracing: photons are emitted and scattered from surface to surface, all photons of a pass
// together, bounce by bounce. Russian roulette keeps the power of the surviving photons.
#pragma once

#include "accel/box.h"
#include "renderer/path/path_limits.h"
#include "renderer/photon/photon.h"
#include "renderer/photon/trace/photon_guide.h"
#include "renderer/photon_share.h"
#include "renderer/scene/live/scene_view.h"
#include "renderer/shading/sampling_config.h"

TL_DEVICE_BEGIN

/// Parameters of a photon pass.
struct PhotonPass {
    SceneView scene;
    SamplePattern pattern;
    std::uint64_t seed;
    std::uint32_t pass;
    std::uint32_t n_photons;   ///< emitted photons
    std::uint32_t max_depth;   ///< most surfaces that a photon hits
    const Box* around;         ///< box around the scene; on the device
    bool with_direct = false;  ///< whether photons are stored at the first surface as well
    /// Size of kernels in PhotonList::shapes, for photons of emitters without an area or a
    /// position.
    BeamKernel kernel{};
    bool has_glass = false;      ///< whether the scene may have glass
    bool caustics_only = false;  ///< whether photons end at the first diffuse or rough scattering
    /// Whether, at surfaces with both kinds of lobes, a photon is assigned at random to the diffuse
    /// and rough ones or to the others; if not, it always counts as scattered by the former.
    bool chooses_lobes = false;

    /// Whether rays have differentials (PhotonBeam).
    [[nodiscard]] bool has_beams() const { return kernel.spread > 0; }
    /// Whether photons may split at specular surfaces.
    [[nodiscard]] bool splits() const { return has_beams() && has_glass; }

    // Id of a stored photon: its number, its branch since it split, and the number of surfaces hit
    // minus one. A ray stores number and branch in the opposite order.
    static constexpr int kNumberBits = 24, kBranchBits = 2, kMetBits = 6;
    static constexpr std::uint32_t kNumberMask = (1u << kNumberBits) - 1;
    /// Number of surfaces, from the first on, at which a photon may split.
    static constexpr std::uint32_t kMostSplits = 3;
    static_assert(PathLimits::kMaxDepth <= 1 << kMetBits && kMostSplits < 1 << kBranchBits);
    /// The largest possible id.
    [[nodiscard]] std::uint32_t last_id() const {
        return (n_photons << (kBranchBits + kMetBits)) - 1;
    }
};

/// Largest batch of photons that may split.
inline constexpr std::uint32_t kMostSplitTogether = 1u << 20;
/// Scratch memory of trace_photons, bytes: per photon, per photon with beams, and per photon of a
/// batch that may split.
inline constexpr std::size_t kTracedPhotonBytes = 150, kBeamPhotonBytes = 280,
                             kSplitPhotonBytes = (1 + PhotonPass::kMostSplits) * kBeamPhotonBytes;

/// Sets list.count to 0 and traces the pass. Photons are stored at surfaces with diffuse or rough
/// lobes, once they have been scattered before; `with_direct` also at the first surface. Their
/// power is a fraction of all power that the pass emits. With a `guide`, emission is guided by what
/// it has learned. Where that is nothing, two smaller passes train it first. Small passes are not
/// guided. It learns from the photons of this pass. With a `share`, devices trace a large pass
/// together; else it never waits.
void trace_photons(Scratch& scratch, const PhotonPass& pass, const PhotonList& list,
                   LearnedGuide* guide = nullptr, PhotonShare* share = nullptr);

TL_DEVICE_END
