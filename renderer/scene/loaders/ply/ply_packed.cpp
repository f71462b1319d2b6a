#include "renderer/scene/loaders/ply/ply_packed.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "renderer/scene/loaders/ply/ply_gaussians.h"
#include "renderer/scene/loaders/ply/ply_rows.h"

namespace tl {
namespace {

constexpr std::uint64_t kGaussiansOfChunk = 256;

enum PackedWord { kPlaceWord, kRotationWord, kScaleWord, kColorWord, kPackedWords };
constexpr std::string_view kPackedWordNames[kPackedWords] = {"packed_position", "packed_rotation",
                                                             "packed_scale", "packed_color"};

/// The properties of a chunk; those of colours may be missing.
constexpr std::string_view kChunkNames[] = {
    "min_x",       "min_y",       "min_z",       "max_x",       "max_y",       "max_z",
    "min_scale_x", "min_scale_y", "min_scale_z", "max_scale_x", "max_scale_y", "max_scale_z",
    "min_r",       "min_g",       "min_b",       "max_r",       "max_g",       "max_b"};
constexpr std::size_t kPlaceRange = 0, kScaleRange = 6, kColorRange = 12,
                      kChunkValues = std::size(kChunkNames);

/// The index of a property's name; -1 for a list or another name.
int index_among(std::span<const std::string_view> names, const PlyProperty& property) {
    auto found = std::ranges::find(names, property.name);
    return property.is_list || found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

bool has_property(const PlyElement& element, std::string_view name) {
    return std::ranges::any_of(element.properties, [&](auto& property) {
        return !property.is_list && property.name == name;
    });
}

std::size_t count_of(const PlyElement& element, std::span<const std::string_view> names) {
    return static_cast<std::size_t>(
        std::ranges::count_if(names, [&](auto name) { return has_property(element, name); }));
}

/// Throws UserError unless the element has all of the names.
void require_properties(const std::string& file, const PlyElement& element,
                        std::span<const std::string_view> names) {
    for (auto name : names)
        if (!has_property(element, name))
            fail_at(file, element,
                    "compressed Gaussians want a property '" + std::string(name) + "' of '" +
                        element.name + "'; write the file uncompressed");
}

struct PackedElements {
    const PlyElement *chunks, *vertices, *bytes;  ///< the last one null where there are none
};

PackedElements packed_elements(const PlyHeader& header, const std::string& file) {
    PackedElements found{header.find("chunk"), header.find("vertex"), header.find("sh")};
    const PlyElement& vertices = *found.vertices;
    if (!found.chunks)
        fail_at(file, vertices,
                "vertices are compressed Gaussians, but there is no element 'chunk' with their "
                "ranges; write the file uncompressed");
    std::span names(kChunkNames);
    bool has_colors = count_of(*found.chunks, names.subspan(kColorRange)) > 0;
    require_properties(file, *found.chunks, has_colors ? names : names.first(kColorRange));
    require_properties(file, vertices, kPackedWordNames);
    for (auto& property : vertices.properties)
        if (index_among(kPackedWordNames, property) >= 0 && property.type != PlyType::u32 &&
            property.type != PlyType::i32)
            fail_at(file, vertices,
                    "'" + property.name + "' of compressed Gaussians is to be uint");
    if (found.bytes && found.bytes->properties.empty()) found.bytes = nullptr;
    std::uint64_t n = vertices.row_count;
    std::uint64_t n_chunks = n / kGaussiansOfChunk + (n % kGaussiansOfChunk > 0);
    if (found.chunks->row_count != n_chunks)
        fail_at(file, *found.chunks,
                std::to_string(n) + " compressed Gaussians want " + std::to_string(n_chunks) +
                    " rows of 'chunk', one for 256 each, but the header has " +
                    std::to_string(found.chunks->row_count));
    if (found.bytes && found.bytes->row_count != n)
        fail_at(file, *found.bytes,
                "there are " + std::to_string(found.bytes->row_count) + " rows of 'sh' for " +
                    std::to_string(n) + " compressed Gaussians");
    return found;
}

/// `n_bits` bits of a word, as a number in [0, 1].
double part_of_word(std::uint32_t word, int shift, int n_bits) {
    std::uint32_t most = (1u << n_bits) - 1;
    return double(word >> shift & most) / double(most);
}

/// A coefficient of a colour, from -4 to 4: the middle of a byte's interval.
double harmonic_of_byte(double byte) {
    double part = byte <= 0 ? 0 : byte >= 255 ? 1 : (byte + 0.5) / 256;
    return 8 * (part - 0.5);
}

/// The ranges of a chunk. Those of colours are 0 to 1 unless the file has them.
struct ChunkRanges {
    std::array<double, kChunkValues> value{};

    ChunkRanges() { std::fill_n(value.begin() + kColorRange + 3, 3, 1.0); }
    [[nodiscard]] double at(std::size_t first, std::size_t axis, double part) const {
        return value[first + axis] * (1 - part) + value[first + 3 + axis] * part;
    }
};

/// Writes the numbers of PlyGaussians::names().
void unpack_gaussian(const std::array<std::uint32_t, kPackedWords>& words,
                     const ChunkRanges& ranges, std::span<double> numbers) {
    constexpr double kHarmonic = 0.28209479177387814;  // 1 / (2 sqrt(pi))
    constexpr int kShifts[] = {21, 11, 0}, kBits[] = {11, 10, 11};
    constexpr std::size_t kColor = 3, kOpacity = 6, kScale = 7, kRotation = 10;
    for (std::size_t k = 0; k < 3; ++k) {
        auto part = [&](PackedWord word) {
            return part_of_word(words[word], kShifts[k], kBits[k]);
        };
        numbers[k] = ranges.at(kPlaceRange, k, part(kPlaceWord));
        numbers[kScale + k] = ranges.at(kScaleRange, k, part(kScaleWord));
        double color = part_of_word(words[kColorWord], 24 - 8 * static_cast<int>(k), 8);
        numbers[kColor + k] = (ranges.at(kColorRange, k, color) - 0.5) / kHarmonic;
    }
    double opacity = part_of_word(words[kColorWord], 0, 8);
    numbers[kOpacity] = std::log(opacity / (1 - opacity));
    // The largest part of a quaternion of length 1 follows from the other three.
    std::uint32_t largest = words[kRotationWord] >> 30;
    double rest = 1;
    for (std::uint32_t k = 0, shift = 20; k < 4; ++k) {
        if (k == largest) continue;
        double part = part_of_word(words[kRotationWord], static_cast<int>(shift), 10);
        numbers[kRotation + k] = std::numbers::sqrt2 * (part - 0.5);
        rest -= numbers[kRotation + k] * numbers[kRotation + k];
        shift -= 10;
    }
    numbers[kRotation + largest] = std::sqrt(std::max(rest, 0.0));
}

/// Reads rows of the three elements side by side.
template <class Rows>
class PackedReader {
  public:
    PackedReader(Rows rows, const PlyHeader& header, const std::string& file)
        : elements_(packed_elements(header, file)) {
        for (auto& element : header.elements) {
            if (&element == elements_.chunks) chunks_ = rows;
            if (&element == elements_.vertices) vertices_ = rows;
            if (&element == elements_.bytes) bytes_ = rows;
            if (element.properties.empty()) continue;  // such rows take no bytes
            check_room(rows, file, element);
            for (std::uint64_t i = 0; i < element.row_count; ++i) {
                rows.start_row();
                for (auto& property : element.properties) skip_property(rows, property);
            }
        }
    }

    void read(const std::function<void(std::span<const double>)>& take) {
        std::size_t n_core = PlyGaussians::names().size();
        std::vector<double> numbers(n_core);
        for (std::uint64_t i = 0; i < elements_.vertices->row_count; ++i) {
            if (i % kGaussiansOfChunk == 0) read_chunk();
            std::array<std::uint32_t, kPackedWords> words{};
            vertices_->start_row();
            for (auto& property : elements_.vertices->properties) {
                int word = index_among(kPackedWordNames, property);
                if (word < 0)
                    skip_property(*vertices_, property);
                else
                    words[static_cast<std::size_t>(word)] = vertices_->bits(property.type);
            }
            numbers.resize(n_core);
            unpack_gaussian(words, ranges_, numbers);
            if (elements_.bytes) append_harmonics(numbers);
            take(numbers);
        }
        vertices_->end();
    }

  private:
    void read_chunk() {
        chunks_->start_row();
        for (auto& property : elements_.chunks->properties) {
            int index = index_among(kChunkNames, property);
            if (index < 0)
                skip_property(*chunks_, property);
            else
                ranges_.value[static_cast<std::size_t>(index)] = chunks_->number(property.type);
        }
    }

    void append_harmonics(std::vector<double>& numbers) {
        bytes_->start_row();
        for (auto& property : elements_.bytes->properties)
            numbers.push_back(harmonic_of_byte(bytes_->number(property.type)));
    }

    PackedElements elements_;
    std::optional<Rows> chunks_, vertices_, bytes_;  // each at the first row of its element
    ChunkRanges ranges_;
};

}  // namespace

bool are_packed(const PlyHeader& header) {
    auto has_rows = [&](const char* name) {
        auto* element = header.find(name);
        return element && element->row_count > 0;
    };
    return has_rows("vertex") && !has_rows("face") && !has_rows("tristrips") &&
           has_property(*header.find("vertex"), kPackedWordNames[kPlaceWord]) &&
           !has_property(*header.find("vertex"), "x");
}

PlyElement unpacked_element(const PlyHeader& header, const std::string& file) {
    PackedElements packed = packed_elements(header, file);
    PlyElement element{.name = "vertex",
                       .row_count = packed.vertices->row_count,
                       .properties = {},
                       .line = packed.vertices->line};
    for (auto name : PlyGaussians::names())
        element.properties.push_back({.name = std::string(name)});
    if (!packed.bytes) return element;
    element.line = packed.bytes->line;
    for (auto& property : packed.bytes->properties) {
        bool is_byte = !property.is_list && property.type == PlyType::u8;
        if (!is_byte || !property.name.starts_with("f_rest_"))
            fail_at(file, *packed.bytes,
                    "'" + property.name +
                        "' is none of the properties of 'sh', uchar f_rest_0, f_rest_1 ...");
        element.properties.push_back({.name = property.name});
    }
    return element;
}

void read_packed(std::string_view bytes, const PlyHeader& header, const std::string& file,
                 const ReadProgress& progress,
                 const std::function<void(std::span<const double>)>& take) {
    with_ply_rows(bytes, header, file, progress,
                  [&](auto rows) { PackedReader(rows, header, file).read(take); });
}

}  // namespace tl
