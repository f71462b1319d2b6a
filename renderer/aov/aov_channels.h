// Auxiliary pictures ("arbitrary output variables"): what camera rays meet, besides light.
#pragma once

#include <bitset>
#include <string>
#include <vector>

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

/// A choice of channels, by number.
using AovSet = std::bitset<kAovCount>;

/// How a pixel's value comes from its rays.
enum class AovKind {
    mean,          ///< over all samples; a ray that meets nothing counts as zero
    mean_of_hits,  ///< over the samples that met something
    centre,        ///< of the ray through the pixel's centre; zero where it meets nothing
    number,        ///< a whole number, of the ray through the centre: 0 is nothing, the first is 1
};

/// A row of the table of channels.
struct AovRow {
    std::string id;                       ///< of the flag, the setting and the EXR layer
    AovKind kind;                         ///< how a pixel's value comes about
    std::vector<std::string> components;  ///< EXR channels of the layer: "X", "Y", "Z"
    std::string help;                     ///< what the values are, with their unit
};

/// The row of every AovChannel, in order.
[[nodiscard]] const std::vector<AovRow>& aov_rows();
[[nodiscard]] const AovRow& aov_row(AovChannel channel);
/// Their ids.
[[nodiscard]] std::vector<std::string> aov_ids();

/// "depth,albedo" or "all". Throws UsageError listing the known ids.
[[nodiscard]] AovSet parse_aov_set(const std::string& list);

}  // namespace tl
