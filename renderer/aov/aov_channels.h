// Auxiliary pictures ("arbitrary output variables"): properties of camera rays' hits other than
// radiance.
#pragma once

#include <bitset>
#include <string>
#include <vector>

#include "core/base/enum_names.h"

namespace tl {

enum class AovChannel : int {
    depth,
    position,
    normal,
    shading_normal,
    uv,
    albedo,
    material,
    primitive,
    instance,
    node_visits,
    primitive_tests,
    bounces,
};
inline constexpr int kAovCount = 12;

/// Whether the channel counts something, so that its colours begin at 0.
[[nodiscard]] constexpr bool is_count(AovChannel channel) {
    return channel == AovChannel::node_visits || channel == AovChannel::primitive_tests ||
           channel == AovChannel::bounces;
}

/// A selection of channels, by index.
using AovSet = std::bitset<kAovCount>;

/// Reduction of a pixel's rays to its value.
enum class AovKind {
    mean,          ///< over all samples; a miss counts as zero
    mean_of_hits,  ///< over the samples with a hit
    centre,        ///< value of the ray through the pixel's centre; zero for a miss
    number,        ///< an integer, of the ray through the centre: 0 is a miss, the first is 1
};

/// A row of the table of channels.
struct AovRow {
    std::string id;                       ///< id of the flag, the setting and the EXR layer
    AovKind kind;                         ///< reduction of the pixel's rays to its value
    std::vector<std::string> components;  ///< EXR channels of the layer: "X", "Y", "Z"
    std::string help;                     ///< meaning of the values, with their unit
};

/// The row of every AovChannel, in order.
[[nodiscard]] const std::vector<AovRow>& aov_rows();
[[nodiscard]] const AovRow& aov_row(AovChannel channel);
/// The ids of all channels.
[[nodiscard]] std::vector<std::string> aov_ids();
/// The ids with their channels.
[[nodiscard]] std::vector<EnumName<AovChannel>> names_of(AovChannel);

/// Parses "depth,albedo" or "all". Throws UsageError listing the known ids.
[[nodiscard]] AovSet parse_aov_set(const std::string& list);

}  // namespace tl
