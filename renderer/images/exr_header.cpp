#include "renderer/images/exr_header.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "core/base/error.h"
#include "core/base/one_line.h"
#include "renderer/images/image_claims.h"
#include "renderer/images/image_io.h"

namespace tl {
namespace {

/// Reads little-endian numbers and words; errors name the current byte.
class ExrBytes {
  public:
    ExrBytes(const std::string& path, std::string_view bytes) : path_(path), bytes_(bytes) {}

    [[nodiscard]] std::string_view all() const { return bytes_; }
    [[nodiscard]] std::size_t at() const { return at_; }
    void go_to(std::size_t at) { at_ = at; }

    template <class T = std::int32_t>
    T number() {
        auto text = piece(sizeof(T));
        T value;
        std::memcpy(&value, text.data(), sizeof value);
        return value;
    }
    std::string_view piece(std::size_t size) {
        if (at_ > bytes_.size() || size > bytes_.size() - at_) fail("is cut off");
        auto text = bytes_.substr(at_, size);
        at_ += size;
        return text;
    }
    /// Text up to a zero; empty at the end of a list.
    std::string_view word() {
        auto end = bytes_.find('\0', std::min(at_, bytes_.size()));
        if (end == std::string_view::npos || end - at_ > 255) fail("is cut off in its header");
        auto text = bytes_.substr(at_, end - at_);
        at_ = end + 1;
        return text;
    }
    [[noreturn]] void fail(const std::string& what) const {
        throw UserError(path_ + ": byte " + std::to_string(at_) + ": the file " + escaped(what));
    }

  private:
    const std::string& path_;
    std::string_view bytes_;
    std::size_t at_ = 0;
};

class ExrHeaderReader {
  public:
    ExrHeaderReader(const std::string& path, std::string_view bytes)
        : path_(path), bytes_(path, bytes) {}

    ExrHeader read() {
        read_version();
        read_attributes();
        header_.compression = attribute("compression", 1)[0];
        header_.data = window("dataWindow");
        header_.display = window("displayWindow");
        if (attributes_.contains("type")) {
            auto type = attribute("type");
            type = type.substr(0, type.find('\0'));
            if (type != (header_.is_tiled ? "tiledimage" : "scanlineimage"))
                bytes_.fail("has the type '" + std::string(type) +
                            "'; flat scanlines and tiles are read");
        }
        read_channels(attribute("channels"));
        set_chunk_size();
        check_size();
        return header_;
    }

  private:
    void read_version() {
        constexpr std::string_view kMagic("\x76\x2f\x31\x01", 4);
        if (!bytes_.all().starts_with(kMagic)) bytes_.fail("is no OpenEXR file");
        bytes_.go_to(kMagic.size());
        auto flags = bytes_.number<std::uint32_t>() >> 8;
        constexpr std::uint32_t kTiled = 2, kLongNames = 4, kDeep = 8, kParts = 16;
        const char* advice = "; save one flat part, of scanlines or tiles";
        if (flags & kDeep) bytes_.fail(std::string("holds deep pixels") + advice);
        if (flags & kParts) bytes_.fail(std::string("has several parts") + advice);
        if (flags & ~(kTiled | kLongNames)) bytes_.fail("is of a kind that is not known");
        header_.is_tiled = flags & kTiled;
    }

    void read_attributes() {
        while (true) {
            auto name = bytes_.word();
            if (name.empty()) break;
            (void)bytes_.word();  // its type
            auto size = bytes_.number<std::uint32_t>();
            if (size > bytes_.all().size() - bytes_.at()) bytes_.fail("is cut off in its header");
            attributes_[name] = bytes_.piece(size);
        }
        header_.table_byte = bytes_.at();
    }

    std::string_view attribute(const char* name, std::size_t size = 0) const {
        auto found = attributes_.find(name);
        if (found == attributes_.end() || (size > 0 && found->second.size() != size))
            bytes_.fail(std::string("has no valid attribute '") + name + "'");
        return found->second;
    }

    ExrWindow window(const char* name) const {
        ExrWindow window;
        static_assert(sizeof window == 16);
        std::memcpy(&window, attribute(name, sizeof window).data(), sizeof window);
        auto width = window.width(), height = window.height();
        if (width <= 0 || height <= 0 || width > kMostPixels / height)
            bytes_.fail(std::string("has no pixels in its ") + name + ", or more than 2^28");
        return window;
    }

    void read_channels(std::string_view list) {
        header_.channels = list;
        while (!list.empty() && list[0] != 0) {
            auto end = list.find('\0');
            if (end == std::string_view::npos || end > 255 || list.size() < end + 17)
                bytes_.fail("has a broken list of channels");
            std::string name(list.substr(0, end));
            std::int32_t fields[4];  // pixel type, linearity, sampling in x and y
            std::memcpy(fields, list.data() + end + 1, sizeof fields);
            if (fields[0] < 0 || fields[0] > 2)
                bytes_.fail("has the channel '" + name + "' of unknown type");
            if (fields[2] != 1 || fields[3] != 1)
                bytes_.fail("has the channel '" + name +
                            "' with less than the full resolution; save it as R, G, B");
            list.remove_prefix(end + 17);
            constexpr std::int32_t kHalf = 1;
            header_.bytes_per_pixel += fields[0] == kHalf ? 2 : 4;
            ++header_.n_channels;
        }
        if (header_.n_channels == 0 || list.empty()) bytes_.fail("has no list of channels");
    }

    void set_chunk_size() {
        // Scanlines per chunk for none, RLE, ZIPS, ZIP and PIZ.
        constexpr int kLinesOfChunk[] = {1, 1, 1, 16, 32};
        constexpr const char* kOthers[] = {"PXR24", "B44", "B44A", "DWAA", "DWAB"};
        int compression = static_cast<unsigned char>(header_.compression);
        if (compression > 4)
            bytes_.fail("has " +
                        (compression < 10
                             ? std::string("the compression ") + kOthers[compression - 5]
                             : std::string("a compression")) +
                        " that is not read; known: none, RLE, ZIPS, ZIP, PIZ");
        auto [width, height] = header_.data.extent();
        if (!header_.is_tiled) {
            int lines = kLinesOfChunk[compression];
            header_.chunk = {width, std::min(lines, height)};
            return;
        }
        auto tiles = attribute("tiles", 9);
        std::uint32_t size[2];
        std::memcpy(size, tiles.data(), sizeof size);
        if (size[0] == 0 || size[1] == 0) bytes_.fail("has tiles without pixels");
        header_.has_levels = (tiles[8] & 0x0f) != 0;
        header_.chunk = {static_cast<int>(std::min(size[0], static_cast<std::uint32_t>(width))),
                         static_cast<int>(std::min(size[1], static_cast<std::uint32_t>(height)))};
    }

    void check_size() const {
        // RLE: a run of 128 bytes takes two.
        constexpr std::int64_t kMostBytesOfByte[] = {1, 64, kMostInflation, kMostInflation,
                                                     kMostInflation};
        Extent data = header_.data.extent();
        auto size = static_cast<std::int64_t>(bytes_.all().size());
        if (data.pixels() * header_.bytes_per_pixel >
            size * kMostBytesOfByte[static_cast<int>(header_.compression)])
            bytes_.fail("has fewer bytes than its size asks for; it is cut off");
        // Limit for black outside the data window: a damaged display window must not allocate much
        // memory.
        constexpr std::int64_t kHarmless = std::int64_t{1} << 25, kMostBlack = 64;
        Extent display = header_.display.extent();
        if (display.pixels() > std::max(kHarmless, kMostBlack * data.pixels()))
            bytes_.fail("has a display window of " + std::to_string(display.width) + " x " +
                        std::to_string(display.height) + " pixels around data of " +
                        std::to_string(data.width) + " x " + std::to_string(data.height) +
                        ", which are too few; crop it to them");
        // Tiles at the edges are decoded at full size.
        auto decoded = header_.columns() * header_.rows() * header_.chunk.pixels();
        std::size_t factor =
            header_.is_tiled
                ? static_cast<std::size_t>((decoded + data.pixels() - 1) / data.pixels())
                : 1;
        require_image_memory(path_, data, factor * header_.n_channels * sizeof(float));
        require_image_memory(path_, display, sizeof(vec3));
    }

    const std::string& path_;
    ExrBytes bytes_;
    ExrHeader header_;
    std::map<std::string_view, std::string_view> attributes_;
};

/// Finds chunks by the fields before their data: a line, or the column and row of a tile and its
/// level.
class ChunkFinder {
  public:
    ChunkFinder(const std::string& path, std::string_view bytes, const ExrHeader& header)
        : bytes_(path, bytes),
          header_(header),
          chunks_(static_cast<std::size_t>(header.columns() * header.rows())) {}

    std::vector<std::string_view> find() {
        bytes_.go_to(header_.table_byte);
        auto table = bytes_.piece(chunks_.size() * sizeof(std::uint64_t));
        if (!find_by_table(table)) find_in_sequence();
        for (std::size_t i = 0; i < chunks_.size(); ++i)
            if (chunks_[i].empty()) bytes_.fail("lacks " + name_of(i) + "; it is not complete");
        return std::move(chunks_);
    }

  private:
    /// False where the table has an entry of zero: the writer stopped before it wrote the table.
    bool find_by_table(std::string_view table) {
        for (std::size_t i = 0; i < chunks_.size(); ++i) {
            std::uint64_t at;
            std::memcpy(&at, table.data() + i * sizeof at, sizeof at);
            if (at == 0) return false;
            if (at >= bytes_.all().size()) {
                bytes_.go_to(header_.table_byte + i * sizeof at);
                bytes_.fail("has a chunk beyond its end; it is cut off");
            }
            bytes_.go_to(at);
            take_chunk();
        }
        return true;
    }
    void find_in_sequence() {
        if (header_.has_levels) bytes_.fail("has no complete table of tiles; save it again");
        std::ranges::fill(chunks_, std::string_view());
        bytes_.go_to(header_.table_byte + chunks_.size() * sizeof(std::uint64_t));
        for (std::size_t i = 0; i < chunks_.size() && bytes_.at() < bytes_.all().size(); ++i)
            take_chunk();
    }

    void take_chunk() {
        std::size_t begin = bytes_.at();
        std::int64_t column = 0, row = 0;
        if (header_.is_tiled) {
            column = bytes_.number();
            row = bytes_.number();
            if (bytes_.number() != 0 || bytes_.number() != 0) {
                bytes_.go_to(begin);
                bytes_.fail("has a tile of a coarser level among those of the finest");
            }
        } else {
            std::int64_t line = std::int64_t{bytes_.number()} - header_.data.top;
            row = line % header_.chunk.height == 0 ? line / header_.chunk.height : -1;
        }
        bool is_inside =
            column >= 0 && column < header_.columns() && row >= 0 && row < header_.rows();
        auto size = bytes_.number<std::uint32_t>();
        if (!is_inside || size == 0) {
            bytes_.go_to(begin);
            bytes_.fail("has a chunk outside of its picture, or an empty one");
        }
        chunks_[static_cast<std::size_t>(row * header_.columns() + column)] = bytes_.piece(size);
    }

    [[nodiscard]] std::string name_of(std::size_t chunk) const {
        auto index = static_cast<std::int64_t>(chunk);
        auto row = index / header_.columns();
        if (header_.is_tiled)
            return "tile " + std::to_string(index % header_.columns()) + ", " + std::to_string(row);
        return "line " + std::to_string(header_.data.top + row * header_.chunk.height);
    }

    ExrBytes bytes_;
    const ExrHeader& header_;
    std::vector<std::string_view> chunks_;
};

}  // namespace

ExrHeader read_exr_header(const std::string& path, std::string_view bytes) {
    return ExrHeaderReader(path, bytes).read();
}

std::vector<std::string_view> find_exr_chunks(const std::string& path, std::string_view bytes,
                                              const ExrHeader& header) {
    return ChunkFinder(path, bytes, header).find();
}

}  // namespace tl
