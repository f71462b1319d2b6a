#include "renderer/scene/loaders/gltf/gltf_container.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/base/error.h"
#include "core/base/files.h"

namespace tl {
namespace {

constexpr std::size_t kGlbHeader = 12, kGlbChunkHeader = 8;
constexpr std::string_view kJsonChunk = "JSON", kBinaryChunk{"BIN\0", 4};

std::uint32_t word_at(std::string_view bytes, std::size_t place) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + place, sizeof word);
    return word;
}

/// The type of a chunk in messages: "BIN".
std::string shown_type(std::string_view type) {
    std::string text;
    for (char c : type)
        if (c != 0) text += c > ' ' && c <= '~' ? c : '?';
    return "'" + text + "'";
}

/// Reads the chunks of a .glb, one after the other.
class Chunks {
  public:
    /// `bytes` end where the header says.
    explicit Chunks(std::string_view bytes) : bytes_(bytes) {}

    struct Chunk {
        std::string_view type, content;
    };
    /// The next chunk; none if the rest is too short for one.
    std::optional<Chunk> next() {
        if (!has_room(at_)) return {};
        std::size_t size = word_at(bytes_, at_), room = bytes_.size() - at_ - kGlbChunkHeader;
        std::string_view type = bytes_.substr(at_ + 4, 4);
        if (size > room)
            throw UserError("its chunk " + std::to_string(n_read_) + ", of type " +
                            shown_type(type) + " at byte " + std::to_string(at_) + ", claims " +
                            std::to_string(size) + " bytes, but only " + std::to_string(room) +
                            " are left of the length in its header; it is damaged");
        Chunk chunk{type, bytes_.substr(at_ + kGlbChunkHeader, size)};
        at_ += kGlbChunkHeader + size;
        // Some programs pad chunks to four bytes, but do not count the padding.
        std::size_t filled = (at_ + 3) / 4 * 4;
        if (!is_binary_at(at_) && is_binary_at(filled)) at_ = filled;
        ++n_read_;
        return chunk;
    }
    [[nodiscard]] std::string_view rest() const { return bytes_.substr(at_); }

  private:
    [[nodiscard]] bool has_room(std::size_t place) const {
        return place <= bytes_.size() && bytes_.size() - place >= kGlbChunkHeader;
    }
    [[nodiscard]] bool is_binary_at(std::size_t place) const {
        return has_room(place) && bytes_.substr(place + 4, 4) == kBinaryChunk;
    }

    std::string_view bytes_;
    std::size_t at_ = kGlbHeader, n_read_ = 0;
};

std::size_t without_zeros(std::string_view bytes) {
    return bytes.find_last_not_of('\0') == std::string_view::npos ? 0 : bytes.size();
}

}  // namespace

void refuse_gltf_version(const std::string& version) {
    throw UserError(version.starts_with("1")
                        ? "is glTF " + version +
                              ", this program reads 2.0: convert it with gltf-pipeline"
                        : "is glTF " + version + ", this program reads 2.0: export it as that");
}

GltfParts gltf_parts(std::string_view bytes) {
    if (!bytes.starts_with("glTF")) return {.json = bytes};
    GltfParts parts{.json = {}, .is_binary = true};
    if (bytes.size() >= kGlbHeader)
        if (auto version = word_at(bytes, 4); version != 2)
            refuse_gltf_version(std::to_string(version) + ".0");
    std::size_t length = bytes.size() < kGlbHeader ? kGlbHeader : word_at(bytes, 8);
    if (length > bytes.size())
        throw UserError("is cut off: it has " + std::to_string(bytes.size()) + " bytes of " +
                        std::to_string(length));
    if (length < kGlbHeader + kGlbChunkHeader)
        throw UserError("has the length " + std::to_string(length) +
                        " in its header, too little for any chunk; it is damaged");
    Chunks chunks(bytes.substr(0, length));
    auto first = chunks.next();
    if (first->type != kJsonChunk)
        throw UserError("begins with a chunk of type " + shown_type(first->type) +
                        "; the first chunk of a .glb is 'JSON'");
    while (auto chunk = chunks.next())
        if (chunk->type == kBinaryChunk && !parts.binary) parts.binary = chunk->content;
    // Some programs pad the JSON with zeros, not blanks.
    std::size_t end = first->content.find_last_not_of('\0');
    parts.json = first->content.substr(0, end == std::string_view::npos ? 0 : end + 1);
    parts.n_beyond = without_zeros(chunks.rest()) + without_zeros(bytes.substr(length));
    return parts;
}

}  // namespace tl
