// The settings of the builders of BVHs and kd-trees.
#pragma once

#include "accel/bvh/builders/binned.h"
#include "accel/bvh/builders/curve_order.h"
#include "accel/bvh/builders/sah_large_nodes.h"
#include "core/base/settings.h"

namespace tl {

struct HplocConfig {
    int radius = 8;  ///< neighbours to each side that a cluster may merge with, 1 to 16
    CodeBits code_bits = CodeBits::automatic;

    [[nodiscard]] static const SettingsOf<HplocConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
};

struct LbvhConfig {
    CodeBits code_bits = CodeBits::bits30;

    [[nodiscard]] static const SettingsOf<LbvhConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
};

struct SahConfig {
    int n_samples = LargeNodeConfig::kMaxSamples;  ///< bins along each axis of a large node
    int small_size = 128;  ///< references of the largest node that full sweeps split

    [[nodiscard]] static const SettingsOf<SahConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
};

struct HybridSahConfig : SahConfig {
    int prefix_bits = 12;  ///< of the Morton code: primitives of a SAH subtree share them

    [[nodiscard]] static const SettingsOf<HybridSahConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
};

struct BinnedConfig : BinsConfig {
    BinProjection projection = BinProjection::shared_bins;

    [[nodiscard]] static const SettingsOf<BinnedConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
};

struct HybridBinnedConfig : BinsConfig {
    int top_bits = 9;  ///< of the Morton code: they define the top of the tree

    [[nodiscard]] static const SettingsOf<HybridBinnedConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
};

struct HlbvhConfig : BinsConfig {
    CodeBits code_bits = CodeBits::bits30;
    int cluster_bits = 15;  ///< of the Morton code: primitives of a cluster share them

    [[nodiscard]] static const SettingsOf<HlbvhConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
};

struct KdSahConfig {
    float empty_space = 0.25f;  ///< fraction of a large cell's extent that is worth cutting off
    float references = 3;       ///< capacity, per primitive
    bool grow = true;           ///< whether the capacity is doubled where it was too small

    [[nodiscard]] static const SettingsOf<KdSahConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
};

/// Build quality of Embree.
enum class EmbreeQuality : int {
    low,     ///< Morton codes
    medium,  ///< binned SAH
};
[[nodiscard]] constexpr auto names_of(EmbreeQuality) {
    return std::to_array<EnumName<EmbreeQuality>>(
        {{EmbreeQuality::low, "low"}, {EmbreeQuality::medium, "medium"}});
}

struct EmbreeConfig {
    EmbreeQuality quality = EmbreeQuality::medium;

    [[nodiscard]] static const SettingsOf<EmbreeConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
};

}  // namespace tl
