#include "renderer/scene/loaders/points/xyz_loader.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "accel/parallel/error.h"
#include "accel/parallel/files.h"
#include "accel/parallel/read_progress.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/points/point_cloud.h"
#include "renderer/scene/loaders/words.h"

namespace tl {
namespace {

constexpr std::size_t kMostColumns = 10;  // that have a meaning; more are passed over

/// A line's words, without comments.
class Columns {
  public:
    explicit Columns(std::string_view line) : rest_(line.substr(0, start_of_comment(line))) {
        skip_blanks();
    }
    [[nodiscard]] bool empty() const { return rest_.empty(); }
    /// The next word, without the separator after it: blanks, or one comma or semicolon among
    /// blanks. Empty between two commas.
    std::string_view next() {
        std::size_t end = std::min(rest_.find_first_of(" \t,;"), rest_.size());
        auto word = rest_.substr(0, end);
        rest_.remove_prefix(end);
        skip_blanks();
        if (!rest_.empty() && (rest_[0] == ',' || rest_[0] == ';')) rest_.remove_prefix(1);
        skip_blanks();
        return word;
    }

  private:
    /// That of "1.#QNAN" starts none.
    static std::size_t start_of_comment(std::string_view line) {
        std::size_t hash = line.find('#');
        while (hash != std::string_view::npos && line.substr(0, hash).ends_with("1."))
            hash = line.find('#', hash + 1);
        return std::min(hash, line.find("//"));
    }
    void skip_blanks() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
    }
    std::string_view rest_;
};

/// Whether a line names columns in place of giving them: "x y z", "//X,Y,Z" being a comment.
bool is_heading(Columns columns) {
    for (std::string_view name : {"x", "y", "z"})
        if (lower_case(columns.next()) != name) return false;
    return true;
}

class XyzReader {
  public:
    XyzReader(std::string_view text, const std::string& path) : text_(text), path_(path) {}

    PointCloud read(Scene& scene) {
        WorkLoop loop("parsing", text_.size());
        while (next_line()) {
            loop.at(next_);
            Columns columns(line_text_);
            if (columns.empty() || (n_columns_ == 0 && is_heading(columns)) || take_count(columns))
                continue;
            read_point(columns);
        }
        loop.end();
        if (n_promised_ > 0 && n_promised_ != n_points_)
            scene.warnings.push_back(path_ + ": counts " + std::to_string(n_promised_) +
                                     " points, but has " + std::to_string(n_points_) +
                                     (n_points_ < n_promised_ ? "; it may be cut off" : ""));
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

    /// Takes a line that is a count of the points after it: before the first one, or where the
    /// points of another count end, as in files of several scans.
    bool take_count(Columns columns) {
        if (n_points_ != n_promised_) return false;
        auto count = number_in<std::uint64_t>(columns.next());
        if (!count || !columns.empty()) return false;
        if (*count > static_cast<std::uint64_t>(kMostTriangles))
            fail("counts more than 1,000,000,000 points");
        n_promised_ += *count;
        return true;
    }

    void read_point(Columns columns) {
        double values[kMostColumns] = {};
        std::size_t n = 0;
        for (; !columns.empty(); ++n) {
            auto word = columns.next();
            auto value = real_in(word);
            if (word.empty()) fail("column " + std::to_string(n + 1) + " is empty");
            if (!value)
                fail("'" + shown(word) + "' is not a number; points are lines of x y z, which " +
                     "intensity, r g b and nx ny nz may follow");
            if (n < kMostColumns) values[n] = *value;
        }
        if (n < 3) fail("a point needs three numbers, x y z");
        if (n_columns_ == 0) n_columns_ = n;
        if (n != n_columns_)
            fail("has " + std::to_string(n) + " columns, but the first point has " +
                 std::to_string(n_columns_));
        ++n_points_;
        glm::dvec3 place(values[0], values[1], values[2]);
        if (!(std::isfinite(place.x) && std::isfinite(place.y) && std::isfinite(place.z))) {
            ++cloud_.n_lost;
            return;
        }
        for (int k = 0; k < 3; ++k)
            if (std::abs(place[k]) > kLargestCoordinate)
                fail(std::string(1, "xyz"[k]) + " is beyond the largest coordinate, 1e15");
        cloud_.positions.push_back(place);
        std::size_t at = 3;
        if (has_intensity()) cloud_.intensities.push_back(finite_part(values[at++]));
        for (auto& triple : triples_) {
            if (at + 3 > std::min(n, kMostColumns)) break;
            triple.push_back({finite_part(values[at]), finite_part(values[at + 1]),
                              finite_part(values[at + 2])});
            at += 3;
        }
    }

    /// Triples of numbers after x y z are colours and normals; a column before them, or one that
    /// is alone, is an intensity.
    [[nodiscard]] bool has_intensity() const {
        return n_columns_ >= kMostColumns || n_columns_ % 3 != 0;
    }
    static float finite_part(double value) {
        auto part = static_cast<float>(value);
        return std::isfinite(part) ? part : 0;
    }

    /// Whether they have a part below 0, or all have a length of 1, but for those that are 0. Those
    /// of a file's colours that do are of one primary colour each, or black.
    static bool are_normals(const std::vector<vec3>& triples) {
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

    /// The first triple that is none of normals is a colour, as parts of 1, 255 or 65535; the first
    /// one of normals is the normal.
    void choose_colors_and_normals() {
        for (auto& triples : triples_) {
            if (triples.empty()) continue;
            if (are_normals(triples)) {
                if (cloud_.normals.empty()) cloud_.normals = std::move(triples);
                continue;
            }
            if (!cloud_.colors.empty()) continue;
            float most = 0;
            for (vec3 color : triples) most = std::max({most, color.x, color.y, color.z});
            if (most > 255)
                for (vec3& color : triples) color /= 65535.0f;
            cloud_.colors = std::move(triples);
        }
        normalize_normals(cloud_.normals);
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw UserError(path_ + ":" + std::to_string(line_) + ": " + what);
    }

    std::string_view text_, line_text_;
    const std::string& path_;
    std::size_t next_ = 0, line_ = 0, n_columns_ = 0;
    std::uint64_t n_points_ = 0, n_promised_ = 0;
    std::vector<vec3> triples_[2];
    PointCloud cloud_;
};

}  // namespace

PointCloud read_xyz(Scene& scene, std::string_view text, const std::string& path) {
    return XyzReader(text, path).read(scene);
}

void add_xyz(Scene& scene, const std::string& path, bool with_materials, bool drop_outliers) {
    std::string text = read_text_file(path);
    PointCloud cloud = read_xyz(scene, text, path);
    cloud.drop_outliers = drop_outliers;
    add_cloud(scene, std::move(cloud), path, text.size(), with_materials);
}

}  // namespace tl
