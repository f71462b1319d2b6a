#include "renderer/scene/loaders/gltf/gltf_geometry.h"

#include <algorithm>

#include "core/base/error.h"
#include "renderer/scene/loaders/gltf/gltf_draco.h"

namespace tl {
namespace {

std::vector<vec3> vectors_of(const std::vector<float>& numbers) {
    std::vector<vec3> vectors(numbers.size() / 3);
    for (std::size_t i = 0; i < vectors.size(); ++i)
        vectors[i] = {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
    return vectors;
}

}  // namespace

GltfGeometry::GltfGeometry(const GltfFile& file, const tinygltf::Mesh& owner,
                           const tinygltf::Primitive& source)
    : file_(file), source_(source) {
    auto extension = source.extensions.find("KHR_draco_mesh_compression");
    auto positions = source.attributes.find("POSITION");
    if (extension == source.extensions.end() || positions == source.attributes.end()) return;
    auto has_view = [&](int accessor) {
        return file.at(file.model().accessors, accessor, "accessor").bufferView >= 0;
    };
    if (!has_view(positions->second) || (source.indices >= 0 && !has_view(source.indices)))
        decode(owner, extension->second);
}

void GltfGeometry::decode(const tinygltf::Mesh& owner, const tinygltf::Value& extension) {
    auto fail = [&](const std::string& what) { file_.fail("mesh '" + owner.name + "': " + what); };
    if (!extension.Has("bufferView") || !extension.Get("bufferView").IsInt() ||
        !extension.Has("attributes") || !extension.Get("attributes").IsObject())
        fail("KHR_draco_mesh_compression lacks its bufferView or attributes");
    auto& ids = extension.Get("attributes");
    std::vector<DracoAttribute> wanted;
    std::vector<std::string> names;
    const std::pair<const char*, int> attributes[] = {{"POSITION", 3},
                                                      {"NORMAL", 3},
                                                      {"TEXCOORD_0", 2},
                                                      {"TEXCOORD_1", 2},
                                                      {"TEXCOORD_2", 2},
                                                      {"TEXCOORD_3", 2},
                                                      {"JOINTS_0", 4},
                                                      {"WEIGHTS_0", 4},
                                                      {"JOINTS_1", 4},
                                                      {"WEIGHTS_1", 4},
                                                      {"COLOR_0", n_color_channels()}};
    for (auto [name, per_row] : attributes) {
        auto accessor = source_.attributes.find(name);
        if (accessor == source_.attributes.end() || !ids.Has(name)) continue;
        int id = ids.Get(name).IsInt() ? ids.Get(name).GetNumberAsInt() : -1;
        if (id < 0) fail(std::string("KHR_draco_mesh_compression gives ") + name + " no number");
        wanted.push_back({.id = static_cast<std::uint32_t>(id),
                          .per_row = per_row,
                          .full_scale = file_.full_scale(accessor->second)});
        names.emplace_back(name);
    }
    try {
        corners_ =
            decode_draco(file_.view_bytes(extension.Get("bufferView").GetNumberAsInt()), wanted);
    } catch (const UserError& error) {
        fail(error.what());
    }
    file_.parsed(corners_.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        file_.parsed(wanted[i].numbers.size());
        decoded_[names[i]] = std::move(wanted[i].numbers);
    }
    is_decoded_ = true;
}

std::vector<float> GltfGeometry::numbers(const char* attribute, int per_row) const {
    if (auto known = decoded_.find(attribute); known != decoded_.end()) return known->second;
    auto found = source_.attributes.find(attribute);
    if (found == source_.attributes.end()) return {};
    return numbers(found->second, per_row);
}

std::vector<float> GltfGeometry::numbers(int accessor, int per_row) const {
    // There may be more compressed vertices than the file has bytes.
    if (is_decoded_ && file_.has_no_data(accessor))
        return std::vector<float>(n_decoded_vertices() * static_cast<std::size_t>(per_row));
    return rows_.empty() ? file_.numbers(accessor, per_row)
                         : file_.numbers(accessor, per_row, rows_);
}

std::vector<vec3> GltfGeometry::vectors(const char* attribute) const {
    return vectors_of(numbers(attribute, 3));
}

std::vector<vec3> GltfGeometry::vectors(int accessor) const {
    return vectors_of(numbers(accessor, 3));
}

int GltfGeometry::n_color_channels() const {
    auto found = source_.attributes.find("COLOR_0");
    if (found == source_.attributes.end()) return 0;
    auto& accessor = file_.at(file_.model().accessors, found->second, "accessor");
    return accessor.type == TINYGLTF_TYPE_VEC4 ? 4 : 3;
}

std::vector<vec3> GltfGeometry::colors() const {
    int per_row = n_color_channels();
    if (per_row == 0) return {};
    std::vector<float> values = numbers("COLOR_0", per_row);
    std::vector<vec3> colors(values.size() / static_cast<std::size_t>(per_row));
    for (std::size_t i = 0; i < colors.size(); ++i)
        for (int k = 0; k < 3; ++k) {
            float value =
                values[i * static_cast<std::size_t>(per_row) + static_cast<std::size_t>(k)];
            colors[i][k] = value > 0 ? std::min(value, 1.0f) : 0.0f;  // 0 for what is no number
        }
    return colors;
}

const char* GltfGeometry::missing_data() const {
    if (is_decoded_) return nullptr;
    if (source_.indices >= 0 && file_.has_no_data(source_.indices))
        return "indices that have no data are all 0, so that their primitives show nothing";
    auto positions = source_.attributes.find("POSITION");
    bool are_zero = positions != source_.attributes.end() && file_.has_no_data(positions->second);
    return are_zero && source_.targets.empty() ? "positions that have no data are all 0" : nullptr;
}

std::size_t GltfGeometry::n_decoded_vertices() const {
    auto positions = decoded_.find("POSITION");
    return positions == decoded_.end() ? 0 : positions->second.size() / 3;
}

std::size_t GltfGeometry::n_vertices() const {
    auto positions = source_.attributes.find("POSITION");
    if (positions == source_.attributes.end()) return 0;
    return file_.at(file_.model().accessors, positions->second, "accessor").count;
}

std::vector<std::uint32_t> GltfGeometry::corners() {
    if (is_decoded_) return corners_;
    std::vector<std::uint32_t> corners = file_.indices(source_.indices);
    std::size_t count = n_vertices();
    if (corners.empty() || corners.size() >= count / 2 || std::ranges::max(corners) >= count)
        return corners;
    rows_ = corners;
    std::ranges::sort(rows_);
    auto rest = std::ranges::unique(rows_);
    rows_.erase(rest.begin(), rest.end());
    for (auto& corner : corners) {
        auto place = std::ranges::lower_bound(rows_, corner) - rows_.begin();
        corner = static_cast<std::uint32_t>(place);
    }
    return corners;
}

}  // namespace tl
