#include "renderer/scene/loaders/gltf/gltf_draco.h"

#include <string>

#include "core/base/error.h"

#if defined(TL_HAS_DRACO)

#include <draco/compression/decode.h>
#include <draco/compression/point_cloud/point_cloud_decoder.h>
#include <draco/core/varint_decoding.h>
#include <draco/metadata/metadata_decoder.h>

#include <algorithm>

#include "core/base/host_memory.h"

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

/// The sizes that the first bytes of a compressed mesh claim.
struct Claims {
    std::uint32_t n_faces = 0, n_vertices = 0;
};

/// Reads the claims. Both are 0 where the bytes start in a way that the decoder refuses too.
Claims claims_of(draco::DecoderBuffer buffer) {
    constexpr std::uint16_t kVersion1_3 = 0x0103, kVersion2_0 = 0x0200, kVersion2_2 = 0x0202;
    draco::DracoHeader header{};
    if (!draco::PointCloudDecoder::DecodeHeader(&buffer, &header).ok()) return {};
    auto version = static_cast<std::uint16_t>(header.version_major << 8 | header.version_minor);
    buffer.set_bitstream_version(version);
    if (version >= kVersion1_3 && (header.flags & METADATA_FLAG_MASK)) {
        draco::GeometryMetadata metadata;
        if (!draco::MetadataDecoder().DecodeGeometryMetadata(&buffer, &metadata)) return {};
    }
    bool is_sequential = header.encoder_method == draco::MESH_SEQUENTIAL_ENCODING;
    auto read = [&](std::uint32_t& number) {
        bool is_fixed = version < (is_sequential ? kVersion2_2 : kVersion2_0);
        return is_fixed ? buffer.Decode(&number) : draco::DecodeVarint(&number, &buffer);
    };
    Claims claims;
    if (is_sequential) {
        bool ok = read(claims.n_faces) && read(claims.n_vertices);
        return ok ? claims : Claims{};
    }
    std::uint8_t traversal = 0;
    std::uint32_t n_new_vertices = 0;
    bool ok = buffer.Decode(&traversal) && (version >= kVersion2_2 || read(n_new_vertices)) &&
              read(claims.n_vertices) && read(claims.n_faces);
    return ok ? claims : Claims{};
}

/// Refuses a mesh for which there is not even the memory that all decoders take.
void require_memory_of(const Claims& claims, const std::vector<DracoAttribute>& attributes) {
    // A face has three corners with their opposite ones, its own corners and those of the result;
    // a number is decoded as an integer, and then in floating point.
    constexpr std::uint64_t kOfFace = 12 * sizeof(std::uint32_t), kOfNumber = 8;
    std::uint64_t of_vertex = sizeof(std::uint32_t);
    for (auto& attribute : attributes)
        of_vertex += kOfNumber * static_cast<std::uint64_t>(attribute.per_row);
    require_host_memory(claims.n_faces * kOfFace + claims.n_vertices * of_vertex,
                        "what its compressed data claim, " + std::to_string(claims.n_faces) +
                            " faces and " + std::to_string(claims.n_vertices) + " vertices,",
                        "the file may be damaged; else close other programs, or split the mesh");
}

}  // namespace

bool has_draco() {
    return true;
}

std::vector<std::uint32_t> decode_draco(std::string_view bytes,
                                        std::vector<DracoAttribute>& attributes) {
    draco::DecoderBuffer buffer;
    buffer.Init(bytes.data(), bytes.size());
    require_memory_of(claims_of(buffer), attributes);
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
