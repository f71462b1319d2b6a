#include "accel/bvh/builders/builder_configs.h"

#include "accel/bvh/builders/sah_small_nodes.h"

namespace tl {

const SettingsOf<BinsConfig>& BinsConfig::declared_settings() {
    static const SettingsOf<BinsConfig> all{
        {"bins", &BinsConfig::bins, 4, kMaxBins, "bins",
         "bins along an axis, between which nodes split"},
    };
    return all;
}

const SettingsOf<HplocConfig>& HplocConfig::declared_settings() {
    static const SettingsOf<HplocConfig> all{
        {"radius", &HplocConfig::radius, 1, 16, "clusters",
         "neighbours on each side that a cluster may merge with"},
        {"code-bits", &HplocConfig::code_bits, "bits of the Morton codes"},
    };
    return all;
}

const SettingsOf<LbvhConfig>& LbvhConfig::declared_settings() {
    static const SettingsOf<LbvhConfig> all{
        SettingEntry<LbvhConfig>{"code-bits", &LbvhConfig::code_bits, "bits of the Morton codes"}
            .without("auto"),
    };
    return all;
}

const SettingsOf<SahConfig>& SahConfig::declared_settings() {
    static const SettingsOf<SahConfig> all{
        {"samples", &SahConfig::n_samples, 2, LargeNodeConfig::kMaxSamples, "planes",
         "bins along each axis of a large node"},
        {"small-size", &SahConfig::small_size, LargeNodeConfig::kMinSmallSize, kMaxSmallSize,
         "primitives", "largest node whose subtree is built by full sweeps"},
    };
    return all;
}

const SettingsOf<HybridSahConfig>& HybridSahConfig::declared_settings() {
    static const auto all =
        SettingsOf<HybridSahConfig>{}
            .with(SahConfig::declared_settings())
            .with({
                {"prefix-bits", &HybridSahConfig::prefix_bits, 0, 24, "bits",
                 "bits of the Morton codes that the primitives of a SAH subtree share"},
            });
    return all;
}

const SettingsOf<BinnedConfig>& BinnedConfig::declared_settings() {
    static const auto all = SettingsOf<BinnedConfig>{}
                                .with(BinsConfig::declared_settings())
                                .with({
                                    {"projection", &BinnedConfig::projection,
                                     "method of sorting primitives into the bins of large nodes"},
                                });
    return all;
}

const SettingsOf<HybridBinnedConfig>& HybridBinnedConfig::declared_settings() {
    static const auto all = SettingsOf<HybridBinnedConfig>{}
                                .with(BinsConfig::declared_settings())
                                .with({
                                    {"top-bits", &HybridBinnedConfig::top_bits, 0, 24, "bits",
                                     "bits of the Morton codes that define the top of the tree"},
                                });
    return all;
}

const SettingsOf<HlbvhConfig>& HlbvhConfig::declared_settings() {
    static const auto all =
        SettingsOf<HlbvhConfig>{}
            .with(BinsConfig::declared_settings())
            .with({
                SettingEntry<HlbvhConfig>{"code-bits", &HlbvhConfig::code_bits,
                                          "bits of the Morton codes"}
                    .without("auto"),
                {"cluster-bits", &HlbvhConfig::cluster_bits, 0, 24, "bits",
                 "bits of the Morton codes that the primitives of a cluster share"},
            });
    return all;
}

const SettingsOf<KdSahConfig>& KdSahConfig::declared_settings() {
    static const SettingsOf<KdSahConfig> all{
        {"empty-space", &KdSahConfig::empty_space, 0, 1, "of the extent",
         "least empty space at a side of a large cell that is cut off before it is halved"},
        {"references", &KdSahConfig::references, 1, 8, "per primitive",
         "capacity for references of split primitives that builds start with"},
        {"grow", &KdSahConfig::grow,
         "builds again with twice the capacity while splits need more and memory is free",
         kAdvanced},
    };
    return all;
}

const SettingsOf<EmbreeConfig>& EmbreeConfig::declared_settings() {
    static const SettingsOf<EmbreeConfig> all{
        {"quality", &EmbreeConfig::quality, "Morton codes, or binned SAH"},
    };
    return all;
}

}  // namespace tl
