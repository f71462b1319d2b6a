#include "renderer/aov/aov_channels.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/near_match.h"
#include "core/base/text.h"

namespace tl {
namespace {

/// The bit of the channel `id` in an AovSet.
std::size_t index_of(const std::string& id) {
    auto& rows = aov_rows();
    auto row = std::find_if(rows.begin(), rows.end(), [&](auto& r) { return r.id == id; });
    if (row != rows.end()) return static_cast<std::size_t>(row - rows.begin());
    auto known = aov_ids();
    known.insert(known.begin(), "all");
    throw UsageError("unknown auxiliary picture '" + id + "'" + known_names(id, known));
}

}  // namespace

const std::vector<AovRow>& aov_rows() {
    static const std::vector<AovRow> rows{
        {"depth", AovKind::mean_of_hits, {"Z"}, "distance along the view; infinite for nothing"},
        {"position", AovKind::centre, {"X", "Y", "Z"}, "hit position, world space"},
        {"normal", AovKind::mean, {"X", "Y", "Z"}, "geometric normal, outward"},
        {"shading-normal", AovKind::mean, {"X", "Y", "Z"}, "interpolated normal, outward"},
        {"uv", AovKind::centre, {"U", "V"}, "texture coordinates"},
        {"albedo", AovKind::mean, {"R", "G", "B"}, "diffuse reflectance, texture included"},
        {"material", AovKind::number, {"ID"}, "number of the material, from 1"},
        {"primitive", AovKind::number, {"ID"}, "number of the primitive, in its mesh if instanced"},
        {"instance", AovKind::number, {"ID"}, "number of the instance; 0 for none"},
        {"node-visits", AovKind::mean, {"N"}, "nodes of the tree that a camera ray visits"},
        {"primitive-tests", AovKind::mean, {"N"}, "primitives that a camera ray tests"},
        {"bounces", AovKind::mean, {"N"}, "mirrors and glass surfaces on a camera ray's way"},
    };
    return rows;
}

const AovRow& aov_row(AovChannel channel) {
    return aov_rows()[static_cast<std::size_t>(channel)];
}

std::vector<std::string> aov_ids() {
    std::vector<std::string> ids;
    for (auto& row : aov_rows()) ids.push_back(row.id);
    return ids;
}

std::vector<EnumName<AovChannel>> names_of(AovChannel) {
    std::vector<EnumName<AovChannel>> names;
    for (auto& row : aov_rows())
        names.push_back({static_cast<AovChannel>(names.size()), row.id.c_str()});
    return names;
}

AovSet parse_aov_set(const std::string& list) {
    AovSet set;
    for (std::size_t at = 0; at <= list.size();) {
        auto end = std::min(list.find(',', at), list.size());
        auto id = list.substr(at, end - at);
        if (id == "all")
            set.set();
        else
            set.set(index_of(id));
        at = end + 1;
    }
    return set;
}

}  // namespace tl
