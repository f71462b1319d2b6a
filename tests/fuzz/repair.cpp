#include "tests/fuzz/repair.h"

#include <cstdint>
#include <string_view>

namespace tl::fuzz {
namespace {

/// Checksum of PNG: that of ISO 3309, with the polynomial 0xedb88320.
std::uint32_t checksum(std::string_view bytes) {
    std::uint32_t sum = 0xffffffff;
    for (char c : bytes) {
        sum ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum % 2 != 0 ? 0xedb88320u : 0u);
    }
    return ~sum;
}

void put_big_endian(std::string& bytes, std::size_t at, std::uint32_t value) {
    for (std::size_t k = 0; k < 4; ++k) bytes[at + k] = static_cast<char>(value >> (24 - 8 * k));
}
void put_little_endian(std::string& bytes, std::size_t at, std::size_t value) {
    for (std::size_t k = 0; k < 4; ++k) bytes[at + k] = static_cast<char>(value >> (8 * k));
}
std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t k = 0; k < 4; ++k)
        value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
    return value;
}

/// A chunk is its length, its kind of four letters, its bytes and the sum of the last two.
void repair_png(std::string& bytes) {
    constexpr std::size_t kSignature = 8, kAround = 12;
    for (std::size_t at = kSignature; at + kAround <= bytes.size();) {
        std::size_t length = big_endian(bytes, at);
        if (length > bytes.size() - at - kAround) return;
        std::string_view summed(bytes.data() + at + 4, length + 4);
        put_big_endian(bytes, at + 8 + length, checksum(summed));
        at += kAround + length;
    }
}

/// A file is a header of 12 bytes, and chunks: JSON, then one of binary data.
void repair_glb(std::string& bytes) {
    constexpr std::size_t kHeader = 12, kChunkHeader = 8;
    constexpr std::string_view kBinary("BIN\0", 4);
    if (bytes.size() < kHeader + kChunkHeader) return;
    put_little_endian(bytes, 8, bytes.size());
    constexpr std::size_t kText = kHeader + kChunkHeader;
    std::size_t binary = bytes.find(kBinary, kText + 4);
    if (binary == std::string::npos) return put_little_endian(bytes, kHeader, bytes.size() - kText);
    put_little_endian(bytes, kHeader, binary - 4 - kText);
    put_little_endian(bytes, binary - 4, bytes.size() - binary - 4);
}

}  // namespace

void repair(std::string& bytes) {
    if (bytes.starts_with("\x89PNG\r\n\x1a\n")) repair_png(bytes);
    if (bytes.starts_with("glTF")) repair_glb(bytes);
}

}  // namespace tl::fuzz
