#include "renderer/scene/loaders/ply/ply_header.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/one_line.h"
#include "renderer/scene/loaders/words.h"

namespace tl {
namespace {

struct TypeName {
    std::string_view name;
    PlyType type;
};

constexpr TypeName kTypeNames[] = {
    {"char", PlyType::i8},    {"uchar", PlyType::u8},   {"short", PlyType::i16},
    {"int", PlyType::i32},    {"ushort", PlyType::u16}, {"uint", PlyType::u32},
    {"float", PlyType::f32},  {"double", PlyType::f64}, {"int8", PlyType::i8},
    {"uint8", PlyType::u8},   {"int16", PlyType::i16},  {"uint16", PlyType::u16},
    {"int32", PlyType::i32},  {"uint32", PlyType::u32}, {"float32", PlyType::f32},
    {"float64", PlyType::f64}};

constexpr std::size_t kLongestPlyLine = 4096;  // bytes; a longer line is not a header's
constexpr std::size_t kMostPlyElements = 256;  // each is compared with all others
constexpr std::size_t kMostPlyTextures = 256;

class HeaderReader {
  public:
    HeaderReader(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

    PlyHeader read() {
        // The first line determines the line end: after end_header, the body's first byte may look
        // like a line end without being one.
        if (!is_ply(bytes_))
            throw UserError(file_ + ":1: is no PLY file: its first line is not 'ply'");
        auto end = bytes_.find_first_of("\r\n");
        line_end_ = bytes_.substr(end, 2) == "\r\n" ? '\n' : bytes_[end];
        (void)next_line();
        bool has_format = false;
        while (true) {
            std::string_view rest = next_line();
            auto keyword = lower_case(next_word(rest));
            if (keyword == "end_header") break;
            if (keyword == "format") {
                read_format(rest);
                has_format = true;
            } else if (keyword == "element") {
                read_element(rest);
            } else if (keyword == "property") {
                read_property(rest);
            } else if (keyword == "comment") {
                read_comment(rest);
            } else if (keyword.empty() || keyword == "obj_info") {
                continue;
            } else if (header_.elements.empty()) {
                if (header_.unknown_line == 0) header_.unknown_line = line_;
            } else {
                fail("'" + keyword.substr(0, 40) +
                     "' is no statement of a header; known: format, element, property, comment, "
                     "obj_info, end_header");
            }
        }
        if (!has_format) fail("the header says no format");
        header_.body = next_;
        header_.body_line = line_ + 1;
        return std::move(header_);
    }

  private:
    /// A line without its end. Only the one that ends the header may lack that.
    std::string_view next_line() {
        ++line_;
        auto end = bytes_.find(line_end_, next_);
        auto line = bytes_.substr(next_, end - next_);
        bool is_cut_off =
            end == std::string_view::npos && lower_case(trimmed(line)) != "end_header";
        bool may_be_long = line.starts_with("comment") || line.starts_with("obj_info");
        if (is_cut_off || (line.size() > kLongestPlyLine && !may_be_long))
            fail("the header has no end_header; the file may be cut off");
        next_ = std::min(end, bytes_.size() - 1) + 1;
        return line;
    }

    /// A name of a texture, which may hold spaces.
    void read_comment(std::string_view rest) {
        if (lower_case(next_word(rest)) != "texturefile") return;
        auto name = trimmed(rest);
        if (!name.empty() && header_.textures.size() < kMostPlyTextures)
            header_.textures.emplace_back(name);
    }

    void read_format(std::string_view rest) {
        auto name = lower_case(next_word(rest));
        auto version = next_word(rest);
        if (name == "ascii")
            header_.encoding = PlyEncoding::ascii;
        else if (name == "binary_little_endian")
            header_.encoding = PlyEncoding::little_endian;
        else if (name == "binary_big_endian")
            header_.encoding = PlyEncoding::big_endian;
        else
            fail("unknown format '" + name +
                 "'; known: ascii, binary_little_endian, binary_big_endian");
        if (!version.empty() && version != "1.0")
            fail("unknown version '" + std::string(version) + "' of the format; known: 1.0");
    }

    void read_element(std::string_view rest) {
        PlyElement element;
        element.name = next_word(rest);
        element.line = line_;
        auto word = next_word(rest);
        auto count = number_in<std::uint64_t>(word);
        if (!count)
            fail("'element " + element.name + "' has the count '" + std::string(word) +
                 "', which is not a whole number from 0");
        element.row_count = *count;
        if (header_.elements.size() == kMostPlyElements) fail("more than 256 elements");
        if (header_.find(element.name)) fail("a second element '" + element.name + "'");
        header_.elements.push_back(std::move(element));
    }

    void read_property(std::string_view rest) {
        if (header_.elements.empty()) fail("a property before the first element");
        PlyProperty property;
        auto type = next_word(rest);
        property.is_list = lower_case(type) == "list";
        if (property.is_list) {
            property.length_type = type_named(next_word(rest));
            if (property.length_type == PlyType::f32 || property.length_type == PlyType::f64)
                fail("the length of a list is not a whole number");
            type = next_word(rest);
        }
        property.type = type_named(type);
        property.name = next_word(rest);
        if (property.name.empty()) fail("a property without a name");
        header_.elements.back().properties.push_back(std::move(property));
    }

    PlyType type_named(std::string_view word) const {
        std::string name = lower_case(word);
        for (auto& row : kTypeNames)
            if (row.name == name) return row.type;
        fail("unknown type '" + name +
             "'; known: char, uchar, short, ushort, int, uint, float, double, and int8 to float64");
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw UserError(file_ + ":" + std::to_string(line_) + ": " + escaped(what));
    }

    std::string_view bytes_;
    const std::string& file_;
    PlyHeader header_;
    std::size_t next_ = 0, line_ = 0;
    char line_end_ = '\n';
};

}  // namespace

std::size_t size_of(PlyType type) {
    constexpr std::size_t kSizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
    return kSizes[static_cast<int>(type)];
}

const PlyElement* PlyHeader::find(std::string_view name) const {
    auto found =
        std::ranges::find_if(elements, [&](const PlyElement& row) { return row.name == name; });
    return found == elements.end() ? nullptr : &*found;
}

bool is_ply(std::string_view bytes) {
    if (lower_case(bytes.substr(0, 3)) != "ply") return false;
    auto end = bytes.find_first_not_of(" \t", 3);
    return end != std::string_view::npos && (bytes[end] == '\n' || bytes[end] == '\r');
}

PlyHeader read_ply_header(std::string_view bytes, const std::string& file) {
    return HeaderReader(bytes, file).read();
}

}  // namespace tl
