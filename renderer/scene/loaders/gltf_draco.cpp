#include "renderer/scene/loaders/gltf_draco.h"

#include <string>

#include "accel/parallel/error.h"

#if defined(TL_HAS_DRACO)

#include <draco/compression/decode.h>

#include <algorithm>

namespace tl {
namespace {

void read_attribute(const draco::Mesh& mesh, DracoAttribute& wanted) {
    const draco::PointAttribute* source = mesh.GetAttributeByUniqueId(wanted.id);
    if (!source)
        throw UserError("its compressed data have no attribute " + std::to_string(wanted.id));
    if (source->num_components() != wanted.per_row)
        throw UserError("attribute " + std::to_string(wanted.id) + " of its compressed data has " +
                        std::to_string(source->num_components()) + " numbers a row, not " +
                        std::to_string(wanted.per_row));
    auto n = static_cast<std::size_t>(wanted.per_row);
    wanted.numbers.resize(n * mesh.num_points());
    bool scales = wanted.full_scale > 0 && !source->normalized();
    for (std::uint32_t i = 0; i < mesh.num_points(); ++i) {
        float* row = &wanted.numbers[n * i];
        auto index = source->mapped_index(draco::PointIndex(i));
        if (index.value() >= source->size() ||
            !source->ConvertValue<float>(index, static_cast<std::int8_t>(wanted.per_row), row))
            throw UserError("its compressed data name a value that is not there");
        for (std::size_t k = 0; scales && k < n; ++k)
            row[k] = std::max(row[k] / wanted.full_scale, -1.0f);
    }
}

}  // namespace

bool has_draco() {
    return true;
}

std::vector<std::uint32_t> decode_draco(std::string_view bytes,
                                        std::vector<DracoAttribute>& attributes) {
    draco::DecoderBuffer buffer;
    buffer.Init(bytes.data(), bytes.size());
    draco::Decoder decoder;
    auto decoded = decoder.DecodeMeshFromBuffer(&buffer);
    if (!decoded.ok())
        throw UserError("its compressed data cannot be decoded (" +
                        decoded.status().error_msg_string() + "); they may be cut off");
    const draco::Mesh& mesh = *decoded.value();
    std::vector<std::uint32_t> corners;
    corners.reserve(std::size_t{3} * mesh.num_faces());
    for (std::uint32_t f = 0; f < mesh.num_faces(); ++f)
        for (auto corner : mesh.face(draco::FaceIndex(f))) corners.push_back(corner.value());
    for (auto& attribute : attributes) read_attribute(mesh, attribute);
    return corners;
}

}  // namespace tl

#else

namespace tl {

bool has_draco() {
    return false;
}

std::vector<std::uint32_t> decode_draco(std::string_view, std::vector<DracoAttribute>&) {
    throw UserError(
        "is compressed with Draco, which this build does not read; install "
        "libdraco-dev and build again, or export it without");
}

}  // namespace tl

#endif
