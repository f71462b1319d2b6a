#include "renderer/scene/loaders/gltf/gltf_file.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/one_line.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/gltf/gltf_container.h"

namespace tl {
namespace {

template <class T>
double as_double(const char* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return static_cast<double>(value);
}

std::string numbered(const char* what, int index) {
    return std::string(what) + " " + std::to_string(index);
}

}  // namespace

struct GltfComponent {
    int code;  ///< in the file
    std::size_t size;
    double (*read)(const char* bytes);
    double full_scale;  ///< divisor of a normalised integer
    bool is_index;      ///< whether indices may have this type

    /// A number; normalised integers from -1 to 1.
    [[nodiscard]] float number(const char* bytes, bool normalized) const {
        double value = read(bytes);
        return static_cast<float>(normalized ? std::max(value / full_scale, -1.0) : value);
    }
};

constexpr GltfComponent kComponents[] = {
    {TINYGLTF_COMPONENT_TYPE_BYTE, 1, &as_double<std::int8_t>, 127, false},
    {TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE, 1, &as_double<std::uint8_t>, 255, true},
    {TINYGLTF_COMPONENT_TYPE_SHORT, 2, &as_double<std::int16_t>, 32767, false},
    {TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT, 2, &as_double<std::uint16_t>, 65535, true},
    {TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT, 4, &as_double<std::uint32_t>, 1, true},
    {TINYGLTF_COMPONENT_TYPE_FLOAT, 4, &as_double<float>, 1, false}};

const tinygltf::Value* extension_member(const tinygltf::ExtensionMap& extensions, const char* name,
                                        const char* key) {
    auto found = extensions.find(name);
    return found != extensions.end() && found->second.Has(key) ? &found->second.Get(key) : nullptr;
}

GltfFile::GltfFile(const std::string& path, const ReadContext& context)
    : path_(path), context_(context) {
    std::string bytes = read_file(path, context, INT_MAX);
    GltfParts parts;
    GltfText text;
    try {
        parts = gltf_parts(bytes);
        if (parts.n_beyond > 0)
            warnings_.push_back("has " + std::to_string(parts.n_beyond) +
                                " bytes after its end, which are not read");
        text = read_gltf_text(parts.json, parts.is_binary);
        read_json(text);
    } catch (const UserError& error) {
        fail(error.what());
    }
    buffers_ = GltfBuffers(path, text.buffers, parts.binary, context);
    images_ = std::move(text.images);
    n_bytes_ = bytes.size() + buffers_.n_bytes();
}

/// Fills the model. Parts that tinygltf would refuse are added afterwards.
void GltfFile::read_json(const GltfText& text) {
    tinygltf::TinyGLTF reader;
    std::string errors, warnings;
    bool ok = false;
    try {
        ok = reader.LoadASCIIFromString(&model_, &errors, &warnings, text.json.data(),
                                        static_cast<unsigned>(text.json.size()), "",
                                        tinygltf::NO_REQUIRE);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        errors = error.what();
    }
    if (!ok) throw UserError(errors.empty() ? "is no glTF 2.0" : errors);
    model_.bufferViews.resize(text.strides.size());
    for (std::size_t i = 0; i < text.strides.size(); ++i)
        model_.bufferViews[i].byteStride = text.strides[i];
    for (std::size_t index : text.indices_without_view) model_.accessors[index].bufferView = -1;
}

void GltfFile::begin_parsing() {
    std::size_t n_numbers = 0;
    for (auto& accessor : model_.accessors)
        n_numbers +=
            accessor.count *
            static_cast<std::size_t>(std::max(
                0, tinygltf::GetNumComponentsInType(static_cast<std::uint32_t>(accessor.type))));
    n_parsed_ = 0;
    parsing_.emplace(context_.progress, "parsing", n_numbers);
}

void GltfFile::end_parsing() {
    parsing_->end();
    parsing_.reset();
}

std::string GltfFile::ignored_extensions() const {
    auto used = model_.extensionsUsed;
    for (auto& material : model_.materials)
        for (auto& [name, value] : material.extensions) used.push_back(name);
    return unread_extensions(used);
}

float GltfFile::full_scale(int accessor) const {
    auto& source = at(model_.accessors, accessor, "accessor");
    auto* type = std::ranges::find(kComponents, source.componentType, &GltfComponent::code);
    bool scales = source.normalized && type != std::end(kComponents);
    return scales ? static_cast<float>(type->full_scale) : 0;
}

void GltfFile::fail(const std::string& what) const {
    throw UserError(path_ + ": " + one_line(what, 1000));
}

void GltfFile::fail_index(const char* what, int index) const {
    fail("there is no " + numbered(what, index));
}

std::string_view GltfFile::view_bytes(int index) const {
    auto& view = at(model_.bufferViews, index, "buffer view");
    std::string_view data = buffers_.at(static_cast<std::size_t>(view.buffer));
    if (view.byteOffset > data.size() || view.byteLength > data.size() - view.byteOffset)
        fail(numbered("buffer view", index) + " ends beyond its buffer's " +
             std::to_string(data.size()) + " bytes; the file may be cut off");
    return data.substr(view.byteOffset, view.byteLength);
}

bool GltfFile::has_no_data(int index) const {
    auto& accessor = at(model_.accessors, index, "accessor");
    return accessor.bufferView < 0 && !accessor.sparse.isSparse;
}

const GltfComponent& GltfFile::component(const std::string& name, int code) const {
    auto* type = std::ranges::find(kComponents, code, &GltfComponent::code);
    if (type == std::end(kComponents))
        fail(name + " has the unknown component type " + std::to_string(code));
    return *type;
}

GltfFile::Rows GltfFile::rows(const Place& place, int per_row) const {
    auto& type = component(place.name, place.component);
    std::string_view bytes = view_bytes(place.view);
    std::size_t row = type.size * static_cast<std::size_t>(per_row);
    std::size_t given = model_.bufferViews[static_cast<std::size_t>(place.view)].byteStride;
    std::size_t stride = given ? given : row;
    if (place.count > std::size_t{kMostTriangles} || place.offset > bytes.size() ||
        (place.count > 0 && (bytes.size() - place.offset < row ||
                             (bytes.size() - place.offset - row) / stride < place.count - 1)))
        fail(place.name + " ends beyond its buffer view's " + std::to_string(bytes.size()) +
             " bytes");
    return {bytes.data() + place.offset, place.count, stride, &type};
}

/// The accessor, whose rows have `per_row` numbers of a known type.
const tinygltf::Accessor& GltfFile::accessor_of_rows(int index, int per_row) const {
    auto& accessor = at(model_.accessors, index, "accessor");
    if (tinygltf::GetNumComponentsInType(static_cast<std::uint32_t>(accessor.type)) != per_row)
        fail(numbered("accessor", index) + " has not " + std::to_string(per_row) +
             " numbers a row");
    (void)component(numbered("accessor", index), accessor.componentType);
    return accessor;
}

GltfFile::Rows GltfFile::rows(int index, int per_row) const {
    auto& accessor = accessor_of_rows(index, per_row);
    return rows({numbered("accessor", index), accessor.bufferView, accessor.byteOffset,
                 accessor.count, accessor.componentType},
                per_row);
}

/// The rows of an accessor without a buffer view. They take no room in the file: there may be as
/// many as it has bytes, or a few.
std::size_t GltfFile::n_zero_rows(int index, int per_row) const {
    constexpr std::size_t kFewNumbers = std::size_t{1} << 18;
    std::size_t count = accessor_of_rows(index, per_row).count;
    if (count > std::max(n_bytes_, kFewNumbers / static_cast<std::size_t>(per_row)))
        fail(numbered("accessor", index) + " has " + std::to_string(count) +
             " rows without a buffer view, more than the file has bytes; it may be damaged");
    return count;
}

std::vector<float> GltfFile::numbers(int index, int per_row) const {
    auto& accessor = accessor_of_rows(index, per_row);
    auto n = static_cast<std::size_t>(per_row);
    std::vector<float> values;
    if (accessor.bufferView < 0) {
        values.resize(n_zero_rows(index, per_row) * n);
    } else {
        Rows source = rows(index, per_row);
        values.reserve(source.count * n);
        for (std::size_t i = 0; i < source.count; ++i) {
            parsed(n);
            for (std::size_t k = 0; k < n; ++k)
                values.push_back(source.type->number(
                    source.data + i * source.stride + k * source.type->size, accessor.normalized));
        }
    }
    auto put = [&](std::size_t row, const char* bytes, const GltfComponent& type) {
        for (std::size_t k = 0; k < n; ++k)
            values[row * n + k] = type.number(bytes + k * type.size, accessor.normalized);
    };
    if (accessor.sparse.isSparse) read_sparse(index, per_row, values.size() / n, put);
    return values;
}

std::vector<float> GltfFile::numbers(int index, int per_row,
                                     std::span<const std::uint32_t> wanted) const {
    auto& accessor = accessor_of_rows(index, per_row);
    auto n = static_cast<std::size_t>(per_row);
    std::vector<float> values;
    values.reserve(wanted.size() * n);
    auto check = [&](std::size_t row, std::size_t count) {
        if (row >= count)
            fail(numbered("accessor", index) + " has " + std::to_string(count) +
                 " rows; its mesh names row " + std::to_string(row));
    };
    if (accessor.sparse.isSparse) {
        std::vector<float> all = numbers(index, per_row);
        for (std::size_t row : wanted) {
            check(row, all.size() / n);
            for (std::size_t k = 0; k < n; ++k) values.push_back(all[row * n + k]);
        }
        return values;
    }
    if (accessor.bufferView < 0) {
        for (std::size_t row : wanted) check(row, accessor.count);
        values.resize(wanted.size() * n);
        return values;
    }
    Rows source = rows(index, per_row);
    for (std::size_t row : wanted) {
        check(row, source.count);
        parsed(n);
        for (std::size_t k = 0; k < n; ++k)
            values.push_back(source.type->number(
                source.data + row * source.stride + k * source.type->size, accessor.normalized));
    }
    return values;
}

/// Calls `put(row, bytes, type)` for each row that a sparse accessor of `n_rows` lists.
template <class Put>
void GltfFile::read_sparse(int index, int per_row, std::size_t n_rows, Put put) const {
    auto& accessor = at(model_.accessors, index, "accessor");
    auto& sparse = accessor.sparse;
    std::string name = "sparse " + numbered("accessor", index);
    auto count = static_cast<std::size_t>(std::max(sparse.count, 0));
    auto offset = [](int bytes) { return static_cast<std::size_t>(std::max(bytes, 0)); };
    Rows places = rows({name, sparse.indices.bufferView, offset(sparse.indices.byteOffset), count,
                        sparse.indices.componentType},
                       1);
    Rows source = rows({name, sparse.values.bufferView, offset(sparse.values.byteOffset), count,
                        accessor.componentType},
                       per_row);
    if (!places.type->is_index) fail(name + " holds indices that are not unsigned");
    for (std::size_t i = 0; i < count; ++i) {
        auto row = static_cast<std::size_t>(places.type->read(places.data + i * places.stride));
        if (row >= n_rows)
            fail(name + " names row " + std::to_string(row) + "; it has " + std::to_string(n_rows));
        put(row, source.data + i * source.stride, *source.type);
    }
}

std::vector<std::uint32_t> GltfFile::indices(int index) const {
    auto& accessor = accessor_of_rows(index, 1);
    if (!component("", accessor.componentType).is_index)
        fail(numbered("accessor", index) + " holds indices that are not unsigned");
    std::vector<std::uint32_t> values;
    if (accessor.bufferView < 0) {
        values.resize(n_zero_rows(index, 1));
    } else {
        Rows source = rows(index, 1);
        values.resize(source.count);
        for (std::size_t i = 0; i < source.count; ++i) {
            parsed(1);
            values[i] =
                static_cast<std::uint32_t>(source.type->read(source.data + i * source.stride));
        }
    }
    auto put = [&](std::size_t row, const char* bytes, const GltfComponent& type) {
        values[row] = static_cast<std::uint32_t>(type.read(bytes));
    };
    if (accessor.sparse.isSparse) read_sparse(index, 1, values.size(), put);
    return values;
}

}  // namespace tl
