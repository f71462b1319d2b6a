#include "renderer/scene/loaders/points/las_header.h"

#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "renderer/scene/limits.h"

namespace tl {
namespace {

// Bytes of the header's fields.
constexpr std::size_t kVersionAt = 24, kSizeAt = 94, kPointsAt = 96, kRecordsAt = 100,
                      kFormatAt = 104, kRecordBytesAt = 105, kLegacyCountAt = 107, kScaleAt = 131,
                      kOffsetAt = 155, kCountAt = 247;
constexpr std::size_t kLeastSize = 227, kSizeOf14 = 375;
/// Bits that LAZ sets in the format of the points that it has packed.
constexpr int kPackedBits = 0xC0;

[[noreturn]] void fail(const std::string& file, std::size_t at, const std::string& what) {
    throw UserError(file + ": byte " + std::to_string(at) + ": " + what);
}

glm::dvec3 triple_at(std::string_view bytes, std::size_t at) {
    return {little_endian_at<double>(bytes, at), little_endian_at<double>(bytes, at + 8),
            little_endian_at<double>(bytes, at + 16)};
}

/// Checks version and sizes; whether the header is that of LAS 1.4.
bool check_size(std::string_view bytes, const std::string& file) {
    if (!bytes.starts_with("LASF")) fail(file, 0, "is no LAS file, which starts with 'LASF'");
    if (bytes.size() < kLeastSize)
        fail(file, bytes.size(), "the file ends in its header; it may be cut off");
    int major = static_cast<unsigned char>(bytes[kVersionAt]);
    int minor = static_cast<unsigned char>(bytes[kVersionAt + 1]);
    if (major != 1 || minor > 4)
        fail(file, kVersionAt,
             "is LAS " + std::to_string(major) + "." + std::to_string(minor) +
                 "; versions up to 1.4 are read; convert it with another program");
    std::size_t size = little_endian_at<std::uint16_t>(bytes, kSizeAt);
    std::size_t least = minor == 4 ? kSizeOf14 : kLeastSize;
    if (size < least)
        fail(file, kSizeAt,
             "the header has " + std::to_string(size) + " bytes; that of LAS 1." +
                 std::to_string(minor) + " has " + std::to_string(least) + " at least");
    if (size > bytes.size())
        fail(file, bytes.size(), "the file ends in its header; it may be cut off");
    return minor == 4;
}

}  // namespace

const LasFormat& las_format(int format) {
    constexpr std::uint8_t kOld = 1 << 7, kNew = 1 << 2;
    static constexpr LasFormat kFormats[] = {
        {20, 0, kOld},   // the core of 0 to 5
        {28, 0, kOld},   // and a time
        {26, 20, kOld},  // or a colour
        {34, 28, kOld},  // or both
        {57, 0, kOld},   // 1 and a wave packet
        {63, 28, kOld},  // 3 and a wave packet
        {30, 0, kNew},   // the core of 6 to 10, with a time
        {36, 30, kNew},  // and a colour
        {38, 30, kNew},  // and near infrared
        {59, 0, kNew},   // 6 and a wave packet
        {67, 30, kNew},  // 8 and a wave packet
    };
    return kFormats[format];
}

LasHeader read_las_header(std::string_view bytes, const std::string& file) {
    bool is_14 = check_size(bytes, file);
    LasHeader header;
    int format = static_cast<unsigned char>(bytes[kFormatAt]);
    if (format & kPackedBits)
        throw UserError(file +
                        ": its points are packed (LAZ), which is not read; unpack it with "
                        "`laszip -i IN.laz -o OUT.las` or `pdal translate IN.laz OUT.las`");
    if (format > 10)
        fail(file, kFormatAt,
             "points have the format " + std::to_string(format) + "; 0 to 10 are read");
    header.point_format = format;
    header.record_bytes = little_endian_at<std::uint16_t>(bytes, kRecordBytesAt);
    std::size_t least = las_format(format).least_bytes;
    if (header.record_bytes < least)
        fail(file, kRecordBytesAt,
             "points have " + std::to_string(header.record_bytes) + " bytes; those of format " +
                 std::to_string(format) + " have " + std::to_string(least) + " at least");
    header.points_at = little_endian_at<std::uint32_t>(bytes, kPointsAt);
    std::size_t size = little_endian_at<std::uint16_t>(bytes, kSizeAt);
    if (header.points_at < size || header.points_at > bytes.size())
        fail(file, kPointsAt,
             "points start at byte " + std::to_string(header.points_at) +
                 ", which is not between the header's end, " + std::to_string(size) +
                 ", and the file's, " + std::to_string(bytes.size()) + "; it may be cut off");

    header.size = size;
    header.n_records = little_endian_at<std::uint32_t>(bytes, kRecordsAt);

    // The count of older versions has precedence where a file of 1.4 has it too.
    header.n_points = little_endian_at<std::uint32_t>(bytes, kLegacyCountAt);
    std::size_t count_at = kLegacyCountAt;
    if (is_14) header.other_count = little_endian_at<std::uint64_t>(bytes, kCountAt);
    if (header.n_points == 0) {
        header.n_points = std::exchange(header.other_count, 0);
        count_at = is_14 ? kCountAt : kLegacyCountAt;
    }
    std::uint64_t room = (bytes.size() - header.points_at) / header.record_bytes;
    if (header.n_points > room)
        fail(file, count_at,
             "the header promises " + std::to_string(header.n_points) +
                 " points, but the file has room for " + std::to_string(room) +
                 "; it may be cut off");

    header.scale = triple_at(bytes, kScaleAt);
    header.offset = triple_at(bytes, kOffsetAt);
    for (int k = 0; k < 3; ++k) {
        auto at = static_cast<std::size_t>(8 * k);
        if (!std::isfinite(header.scale[k]) || header.scale[k] == 0)
            fail(file, kScaleAt + at,
                 std::string("the scale of ") + "xyz"[k] + " is " + number_text(header.scale[k]) +
                     "; it has to be finite and not 0");
        if (!(std::abs(header.offset[k]) <= kLargestCoordinate))
            fail(file, kOffsetAt + at,
                 std::string("the offset of ") + "xyz"[k] + " is " + number_text(header.offset[k]) +
                     "; it has to be finite and up to the largest coordinate, 1e15");
    }
    return header;
}

}  // namespace tl
