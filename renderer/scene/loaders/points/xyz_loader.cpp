#include "renderer/scene/loaders/points/xyz_loader.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/points/column_names.h"
#include "renderer/scene/loaders/points/point_cloud.h"
#include "renderer/scene/loaders/points/text_row.h"
#include "renderer/scene/loaders/vertex_colors.h"
#include "renderer/scene/loaders/words.h"

namespace tl {
namespace {

constexpr const char* kKnownColumns = "x y z, r g b, nx ny nz, intensity and emission";

float finite_part(double value) {
    auto part = static_cast<float>(value);
    return std::isfinite(part) ? part : 0;
}

/// The colour 0xRRGGBB in the bits of a whole number, or of a float as those of PCL are.
vec3 packed_color_of(double value) {
    bool is_whole = value >= INT32_MIN && value <= UINT32_MAX && value == std::floor(value);
    return unpacked_color(is_whole ? static_cast<std::uint32_t>(static_cast<std::int64_t>(value))
                                   : std::bit_cast<std::uint32_t>(static_cast<float>(value)));
}

/// Whether triples are normals: some have a component below 0, or all have a length of 1, except
/// those that are 0. If this holds for colours, each of them is a primary colour or black.
bool are_normals(const std::vector<vec3>& triples) {
    constexpr float kRounding = 0.01f;  // of lengths, where parts have two digits
    bool are_units = true, has_unit = false;
    for (vec3 triple : triples) {
        if (triple.x < 0 || triple.y < 0 || triple.z < 0) return true;
        bool is_unit = std::abs(glm::length(triple) - 1) <= kRounding;
        are_units = are_units && (is_unit || triple == vec3(0));
        has_unit = has_unit || is_unit;
    }
    return are_units && has_unit;
}

/// Scales colours to [0, 1] that are in [0, 65535] by their largest number, or in [0, 255] though
/// they are dark. decode_vertex_colors() detects all others.
void scale_text_colors(std::vector<vec3>& colors) {
    float most = 0;
    bool are_whole = true;
    for (vec3 color : colors) {
        most = std::max({most, color.x, color.y, color.z});
        are_whole = are_whole && color == glm::floor(color);
    }
    constexpr float kMost8 = 256;  // of 255 that was rounded up
    float scale = most > kMost8 ? 65535.0f : are_whole && most > 1 && most <= 2 ? 255.0f : 1.0f;
    if (scale == 1) return;
    for (vec3& color : colors) color /= scale;
}

/// Whether digits start with a zero that no whole number has, or are a zero with a sign.
bool is_fraction(std::string_view digits) {
    bool is_negative = digits.starts_with('-');
    digits.remove_prefix(is_negative ? 1 : 0);
    return digits.starts_with('0') && (is_negative || digits.size() > 1) &&
           std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
}

class XyzReader {
  public:
    XyzReader(Scene& scene, std::string_view text, const std::string& path,
              const ReadProgress& progress)
        : scene_(scene), text_(text), path_(path), progress_(progress) {}

    PointCloud read() {
        WorkLoop loop(progress_, "parsing", text_.size());
        while (next_line()) {
            loop.at(next_);
            auto content = line_text_.substr(0, start_of_comment(line_text_));
            if (trimmed(content).empty())
                read_comment(line_text_.substr(content.size()));
            else
                read_row(content);
        }
        loop.end();
        if (n_promised_ > 0 && n_promised_ != n_points_)
            warn(path_ + ": counts " + std::to_string(n_promised_) + " points, but has " +
                 std::to_string(n_points_) +
                 (n_points_ < n_promised_ ? "; it may be cut off" : ""));
        if (are_bare_commas_ && !has_points_ && n_columns() >= 6 && n_columns() % 2 == 0)
            warn(path_ +
                 ": all numbers are whole, with commas alone between them; if these are "
                 "decimal marks, write points");
        choose_colors_and_normals();
        return std::move(cloud_);
    }

  private:
    bool next_line() {
        if (next_ >= text_.size()) return false;
        auto end = std::min(text_.find_first_of("\r\n", next_), text_.size());
        line_text_ = text_.substr(next_, end - next_);
        next_ = end + (text_.substr(end, 2) == "\r\n" ? 2 : 1);
        ++line_;
        return true;
    }

    /// A comment before the first point may name the columns: "//X Y Z R G B". One after it that
    /// names others is refused.
    void read_comment(std::string_view comment) {
        comment.remove_prefix(std::min(comment.find_first_not_of("#/! "), comment.size()));
        auto word = comment.substr(0, comment.find(' '));
        if (word.ends_with(':')) comment.remove_prefix(word.size());  // "Fields: x y z"
        auto names = ColumnNames::in(comment);
        if (!names) return;
        if (columns_.columns.empty()) {
            if (named_by_comment_ && !names->are_certain()) return;
            named_by_comment_ = std::move(names);
            comment_line_ = line_;
        } else if (auto others = names->columns(columns_.columns.size());
                   others && others->columns != columns_.columns && names->are_certain()) {
            fail("names other columns than the first ones; split the file here");
        }
    }

    void read_row(std::string_view content) {
        if (!columns_.columns.empty() || !split_as_named(content)) split(content);
        if (words_.size() > kMostWords)
            fail("has more than " + std::to_string(kMostWords) + " columns");
        if (words_.empty() || take_count()) return;
        if (columns_.columns.empty() && !names_) {
            names_ = ColumnNames::in(content);
            names_line_ = line_;
            if (names_) return;
            refuse_sentence();
        }
        if (columns_.columns.empty()) start_points();
        read_point(content);
    }

    /// Splits a line as the names are split; false if the number of columns then differs.
    bool split_as_named(std::string_view content) {
        auto& names = names_ ? names_ : named_by_comment_;
        layout_.separator = ' ';
        if (!names || names->separator() == ' ') return false;
        split_row(content, {.separator = names->separator()}, words_);
        if (!names->columns(words_.size())) drop_last_empty();
        if (!names->columns(words_.size())) return false;
        layout_.separator = names->separator();
        return true;
    }

    void split(std::string_view content) {
        bool are_open = layout_.separator == ' ' && !knows_commas_;
        if (are_open && content.find(',') != std::string_view::npos) find_use_of_commas(content);
        split_row(content, layout_, words_);
        if (words_.size() > columns_.columns.size() && layout_.separator != ' ') drop_last_empty();
    }
    /// Drops the word after a separator that ends the line.
    void drop_last_empty() {
        if (!words_.empty() && words_.back().text.empty()) words_.pop_back();
    }

    void find_use_of_commas(std::string_view content) {
        if (columns_.columns.empty() && !names_ && ColumnNames::in(content)) return;
        auto use = use_of_commas(content, has_points_);
        if (use == CommaUse::unclear)
            fail(
                "its commas may separate columns, digits or thousands; write decimals with points, "
                "and columns with blanks between");
        knows_commas_ = true;
        are_bare_commas_ = !names_ && !named_by_comment_ &&
                           trimmed(content).find_first_of(" \t;\"") == std::string_view::npos;
        layout_.decimal_commas = use == CommaUse::decimal_marks;
        if (layout_.decimal_commas && content.find(';') == std::string_view::npos)
            warn(path_ + ":" + std::to_string(line_) +
                 ": the commas within numbers are taken for decimal marks");
    }

    /// Takes a line that is a count of the points after it: before the first one, or where the
    /// points of another count end, as in files of several scans.
    bool take_count() {
        if (words_.size() != 1 || n_points_ != n_promised_) return false;
        auto count = number_in<std::uint64_t>(words_[0].text);
        if (!count) return false;
        if (*count > static_cast<std::uint64_t>(kMostTriangles))
            fail("counts more than 1,000,000,000 points");
        n_promised_ += *count;
        return true;
    }

    /// Refuses a line of words alone, of which none of three is a number.
    void refuse_sentence() const {
        bool has_numbers = std::ranges::any_of(
            words_, [](TextWord word) { return number_of(word, true) || word.text.empty(); });
        if (words_.size() >= 3 && !has_numbers)
            fail("is no point, and names no columns x, y and z; known are " +
                 std::string(kKnownColumns) + "; comments start with #");
    }

    /// Determines the columns' meanings, once the first point is there.
    void start_points() {
        std::size_t n = words_.size();
        if (names_) {
            if (auto named = names_->columns(n))
                columns_ = std::move(*named);
            else if (auto rest = names_->columns(n - 1); rest && has_row_name())
                take_row_names(std::move(*rest));
            else
                fail("has " + std::to_string(n) + " columns, but line " +
                     std::to_string(names_line_) + " names " + std::to_string(names_->size()));
        } else if (named_by_comment_) {
            if (auto named = named_by_comment_->columns(n))
                columns_ = std::move(*named);
            else if (named_by_comment_->are_certain())
                warn(path_ + ":" + std::to_string(comment_line_) + ": names " +
                     std::to_string(named_by_comment_->size()) + " columns, but points have " +
                     std::to_string(n) + "; they are taken by their count");
        }
        if (columns_.columns.empty()) columns_ = PointColumns::of_count(n);
        has_intensity_ = columns_.has(PointColumn::intensity);
        has_triple_[0] = columns_.has(PointColumn::first);
        has_triple_[1] = columns_.has(PointColumn::second);
        has_packed_ = columns_.has(PointColumn::packed);
        has_emission_ = columns_.has(PointColumn::emission);
        has_grey_emission_ = columns_.has(PointColumn::grey_emission);
        if (!columns_.left_out.empty()) {
            constexpr std::size_t kMostShown = 12;
            auto& names = columns_.left_out;
            bool are_more = names.size() > kMostShown;
            if (are_more) names.resize(kMostShown);
            warn(path_ + ": columns that are not used: " + joined(names) +
                 (are_more ? ", ..." : "") + "; known are " + kKnownColumns);
        }
    }

    /// Whether the first column may be names of rows, which headings do not name.
    [[nodiscard]] bool has_row_name() const {
        return names_->starts_blank() || words_[0].is_quoted;
    }
    void take_row_names(PointColumns rest) {
        columns_ = std::move(rest);
        columns_.columns.insert(columns_.columns.begin(), PointColumn::unused);
    }

    void read_point(std::string_view content) {
        std::size_t n = words_.size();
        if (n < 3) {
            check_words();
            fail("a point needs three numbers, x y z");
        }
        if (n != columns_.columns.size()) {
            if (repeats_names(content)) return;
            check_words();
            fail("has " + std::to_string(n) + " columns, but the first point has " +
                 std::to_string(columns_.columns.size()));
        }
        double values[PointColumns::kValues] = {};
        for (std::size_t k = 0; k < n; ++k) {
            auto column = columns_.columns[k];
            if (column == PointColumn::unused) continue;
            auto value = take_number(words_[k]);
            if (!value) {
                if (repeats_names(content)) return;
                refuse_word(k);
            }
            if (column >= PointColumn::x) values[static_cast<int>(column)] = *value;
        }
        ++n_points_;
        add_point(values);
    }

    /// The number of a word. Commas between other separators are taken for decimal marks from the
    /// first one on.
    std::optional<double> take_number(TextWord word) {
        auto value = number_of(word, layout_.decimal_commas);
        if (value) {
            has_points_ = has_points_ || word.text.find('.') != std::string_view::npos;
            if (are_bare_commas_ && !has_points_ && is_fraction(word.text))
                fail("'" + shown(word.text) +
                     "' looks like the digits around a decimal comma; write decimals with points");
            return value;
        }
        bool may_be_mark = !has_points_ && (layout_.separator == ';' || layout_.separator == '\t');
        if (!may_be_mark || layout_.decimal_commas) return {};
        value = number_of(word, true);
        layout_.decimal_commas = value.has_value();
        return value;
    }

    /// Whether a line names the columns again, as where files were joined.
    [[nodiscard]] bool repeats_names(std::string_view content) const {
        auto names = names_ ? ColumnNames::in(content) : std::nullopt;
        return names && names->names() == names_->names();
    }

    /// Refuses the first word that is no number.
    void check_words() {
        for (std::size_t k = 0; k < words_.size(); ++k)
            if (!columns_.are_named && !take_number(words_[k])) refuse_word(k);
    }

    [[noreturn]] void refuse_word(std::size_t k) const {
        auto word = words_[k];
        if (word.text.empty()) fail("column " + std::to_string(k + 1) + " is empty");
        std::string what = "'" + shown(word.text) + "' is not a number";
        if (layout_.decimal_commas && number_of(word, false))
            fail(what + " where others have decimal commas; write all of them with points");
        if (number_of({word.text, true}, true))
            fail(what + " where others have decimal points; write all of them with points");
        fail(what + "; points are lines of x y z, which intensity, r g b and nx ny nz may follow");
    }

    void add_point(const double* values) {
        glm::dvec3 place(values[0], values[1], values[2]);
        if (!(std::isfinite(place.x) && std::isfinite(place.y) && std::isfinite(place.z))) {
            ++cloud_.n_lost;
            return;
        }
        for (int k = 0; k < 3; ++k)
            if (std::abs(place[k]) > kLargestCoordinate)
                fail(std::string(1, "xyz"[k]) + " is beyond the largest coordinate, 1e15");
        cloud_.positions.push_back(place);
        auto triple = [&](int first) {
            return vec3(finite_part(values[first]), finite_part(values[first + 1]),
                        finite_part(values[first + 2]));
        };
        if (has_intensity_) cloud_.intensities.push_back(finite_part(values[3]));
        if (has_triple_[0]) triples_[0].push_back(triple(4));
        if (has_triple_[1]) triples_[1].push_back(triple(7));
        if (has_packed_) cloud_.colors.push_back(packed_color_of(values[10]));
        if (has_emission_) cloud_.emission.push_back(triple(11));
        if (has_grey_emission_) cloud_.emission.emplace_back(finite_part(values[14]));
    }

    /// Without names, the first triple that is none of normals is a colour, as parts of 1, 255 or
    /// 65535; the first one of normals is the normal.
    void choose_colors_and_normals() {
        for (auto& triples : triples_) {
            if (triples.empty()) continue;
            bool is_normal = columns_.are_named ? &triples == &triples_[1] : are_normals(triples);
            auto& part = is_normal ? cloud_.normals : cloud_.colors;
            if (!part.empty()) continue;
            if (!is_normal && !columns_.has_unit_colors) scale_text_colors(triples);
            part = std::move(triples);
        }
        normalize_normals(cloud_.normals);
    }

    [[nodiscard]] std::size_t n_columns() const { return columns_.columns.size(); }
    void warn(const std::string& what) { scene_.warnings.push_back(what); }
    [[noreturn]] void fail(const std::string& what) const {
        throw UserError(path_ + ":" + std::to_string(line_) + ": " + what);
    }

    Scene& scene_;
    std::string_view text_, line_text_;
    const std::string& path_;
    const ReadProgress& progress_;
    std::size_t next_ = 0, line_ = 0;
    TextLayout layout_;
    bool knows_commas_ = false, has_points_ = false;
    bool are_bare_commas_ = false;  ///< they alone separate columns, which have no names
    std::vector<TextWord> words_;   ///< of the line
    std::optional<ColumnNames> names_, named_by_comment_;
    std::size_t names_line_ = 0, comment_line_ = 0;
    PointColumns columns_;  ///< none before the first point
    bool has_intensity_ = false, has_triple_[2] = {}, has_packed_ = false;
    bool has_emission_ = false, has_grey_emission_ = false;
    std::uint64_t n_points_ = 0, n_promised_ = 0;
    std::vector<vec3> triples_[2];
    PointCloud cloud_;
};

}  // namespace

PointCloud read_xyz(Scene& scene, std::string_view text, const std::string& path,
                    const ReadProgress& progress) {
    return XyzReader(scene, text, path, progress).read();
}

bool is_xyz_line(std::string_view line) {
    if (ColumnNames::in(line)) return true;
    std::vector<TextWord> words;
    split_row(line.substr(0, start_of_comment(line)), {}, words);
    return words.size() >= 3 && std::ranges::all_of(words, [](TextWord word) {
               return number_of(word, true).has_value();
           });
}

void add_xyz(Scene& scene, const std::string& path, bool with_materials, bool drop_outliers,
             const ReadContext& context) {
    std::string text = read_text_file(path, context);
    PointCloud cloud = read_xyz(scene, text, path, context.progress);
    cloud.drop_outliers = drop_outliers;
    add_cloud(scene, std::move(cloud), path, text.size(), with_materials, context.progress);
}

}  // namespace tl
