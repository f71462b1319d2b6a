#include "renderer/scene/loaders/points/las_extra.h"

#include <algorithm>
#include <span>

#include "core/base/files.h"

namespace tl {
namespace {

// Bytes of a record's header (table 7), and of the description of a dimension.
constexpr std::size_t kRecordHeaderBytes = 54, kRecordUserAt = 2, kRecordUserBytes = 16,
                      kRecordNumberAt = 18, kRecordLengthAt = 20;
constexpr std::size_t kDimensionBytes = 192, kDimensionTypeAt = 2, kDimensionOptionsAt = 3,
                      kDimensionNameAt = 4, kDimensionNameBytes = 32, kDimensionScaleAt = 112,
                      kDimensionOffsetAt = 136;
constexpr std::uint16_t kExtraBytesRecord = 4;
constexpr unsigned kHasScale = 1 << 3, kHasOffset = 1 << 4;

/// The text of a field that zeros fill up.
std::string_view las_text_of(std::string_view field) {
    return field.substr(0, field.find('\0'));
}

std::size_t size_of_las_type(int type) {
    constexpr std::size_t kSizes[] = {0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return kSizes[type];
}

/// Takes what one record describes; `at` is the byte of the dimension within a point.
void take_dimensions(std::string_view record, std::size_t record_bytes, std::size_t at,
                     std::span<std::optional<LasDimension>, 3> normals) {
    constexpr std::string_view kNames[] = {"normalx", "normaly", "normalz"};
    constexpr int kTypes = 10;  // those above are pairs and triples of them
    for (; record.size() >= kDimensionBytes; record.remove_prefix(kDimensionBytes)) {
        int type = little_endian_at<std::uint8_t>(record, kDimensionTypeAt);
        unsigned options = little_endian_at<std::uint8_t>(record, kDimensionOptionsAt);
        if (type > 3 * kTypes) return;  // whose size is not known
        // Untyped bytes, whose count is in the field of the options.
        std::size_t size = type == 0 ? options
                                     : size_of_las_type((type - 1) % kTypes + 1) *
                                           static_cast<std::size_t>((type - 1) / kTypes + 1);
        if (at + size > record_bytes) return;
        std::string name =
            lower_case(las_text_of(record.substr(kDimensionNameAt, kDimensionNameBytes)));
        for (std::size_t k = 0; k < 3; ++k) {
            if (name != kNames[k] || type < 1 || type > kTypes || normals[k]) continue;
            normals[k] = {at, type, 1, 0};
            if (options & kHasScale)
                normals[k]->scale = little_endian_at<double>(record, kDimensionScaleAt);
            if (options & kHasOffset)
                normals[k]->offset = little_endian_at<double>(record, kDimensionOffsetAt);
        }
        at += size;
    }
}

}  // namespace

double LasDimension::value_in(std::string_view point) const {
    auto number = [&]() -> double {
        switch (type) {
            case 1:
                return little_endian_at<std::uint8_t>(point, at);
            case 2:
                return little_endian_at<std::int8_t>(point, at);
            case 3:
                return little_endian_at<std::uint16_t>(point, at);
            case 4:
                return little_endian_at<std::int16_t>(point, at);
            case 5:
                return little_endian_at<std::uint32_t>(point, at);
            case 6:
                return little_endian_at<std::int32_t>(point, at);
            case 7:
                return static_cast<double>(little_endian_at<std::uint64_t>(point, at));
            case 8:
                return static_cast<double>(little_endian_at<std::int64_t>(point, at));
            case 9:
                return static_cast<double>(little_endian_at<float>(point, at));
            default:
                return little_endian_at<double>(point, at);
        }
    };
    return scale * number() + offset;
}

std::optional<std::array<LasDimension, 3>> find_las_normals(std::string_view bytes,
                                                            const LasHeader& header) {
    std::optional<LasDimension> normals[3];
    std::string_view records = bytes.substr(header.size, header.points_at - header.size);
    for (std::uint32_t i = 0; i < header.n_records && records.size() >= kRecordHeaderBytes; ++i) {
        std::size_t length = little_endian_at<std::uint16_t>(records, kRecordLengthAt);
        auto content = records.substr(kRecordHeaderBytes, length);
        if (little_endian_at<std::uint16_t>(records, kRecordNumberAt) == kExtraBytesRecord &&
            las_text_of(records.substr(kRecordUserAt, kRecordUserBytes)) == "LASF_Spec")
            take_dimensions(content, header.record_bytes,
                            las_format(header.point_format).least_bytes, normals);
        records.remove_prefix(kRecordHeaderBytes + content.size());
    }
    if (!normals[0] || !normals[1] || !normals[2]) return {};
    return std::array{*normals[0], *normals[1], *normals[2]};
}

}  // namespace tl
