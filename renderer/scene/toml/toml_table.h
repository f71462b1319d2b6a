// Checked reading of TOML tables: every value has a type and a range, every error a file and a
// line, and unknown keys give warnings.
#pragma once

#include <toml++/toml.h>

#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/near_match.h"
#include "core/base/text.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/scene.h"

namespace tl {

/// "file:line: what"; without the line where it is not known.
[[nodiscard]] std::string at(const std::string& file, const toml::source_region& region,
                             const std::string& what);

/// Parses the text of a file, whose nesting is limited (toml_limits.h). Throws UserError
/// "file:line: what".
[[nodiscard]] toml::table parse_toml(const std::string& text, const std::string& file);

/// A text, number or flag as text: "5", "0.25", "true"; none for anything else.
[[nodiscard]] std::optional<std::string> scalar_text(const toml::node& node);

/// Words that a key accepts, each with its value.
template <class Value, std::size_t kCount>
using Choices = std::pair<std::string_view, Value>[kCount];

class TomlTable {
  public:
    /// `title` names the table in messages: "[camera]". Table and file name must outlive this.
    TomlTable(const toml::table& table, std::string title, const std::string& file);

    [[nodiscard]] bool has(const char* key) const { return table_.contains(key); }
    /// The value of a key, or null; the key counts as known from now on.
    [[nodiscard]] const toml::node* find(const char* key);
    /// The table at a key, or null. Throws UserError saying `fault` where it is no table.
    [[nodiscard]] const toml::table* find_table(const char* key, const std::string& fault);

    // Values, or `fallback` if the key is missing. Wrong types and values outside [minimum,
    // maximum] throw UserError.
    [[nodiscard]] double number(const char* key, double fallback, double minimum, double maximum);
    /// A number in single precision.
    [[nodiscard]] float real(const char* key, float fallback, double minimum, double maximum);
    [[nodiscard]] bool flag(const char* key, bool fallback);
    [[nodiscard]] std::string text(const char* key, const std::string& fallback);
    /// The value of a word; the first one is the fallback. Messages call the words `what`.
    template <class Value, std::size_t kCount>
    [[nodiscard]] Value choice(const char* key, const std::string& what,
                               const Choices<Value, kCount>& choices) {
        std::string word = text(key, std::string(choices[0].first));
        for (auto& [name, value] : choices)
            if (name == word) return value;
        fail(key,
             "unknown " + what + " '" + word + "'" + known_names(word, std::views::keys(choices)));
    }
    /// Three numbers; `fallback` without the key.
    [[nodiscard]] vec3 vector(const char* key, vec3 fallback);
    /// Three numbers in double precision; 0 without the key.
    [[nodiscard]] glm::dvec3 wide_vector(const char* key);
    /// A point of the scene, minus the offset that the scene is moved by. `fallback` is returned
    /// unchanged.
    [[nodiscard]] vec3 place(const char* key, vec3 fallback, const glm::dvec3& offset);
    /// A vector, or one number for all of its components.
    template <class Vector>
    [[nodiscard]] Vector spread(const char* key, Vector fallback, double minimum, double maximum) {
        auto* node = find(key);
        if (!node) return fallback;
        if (node->is_number()) return Vector(real(key, 0, minimum, maximum));
        return read_row<Vector>(*node, key, minimum, maximum);
    }

    /// Two values, [least, greatest], each a vector or one number for all of its components.
    template <class Vector>
    [[nodiscard]] std::pair<Vector, Vector> range(const char* key,
                                                  std::pair<Vector, Vector> fallback,
                                                  double minimum, double maximum) {
        auto* ends = find_pair(key);
        if (!ends) return fallback;
        auto read = [&](const toml::node& end) {
            return end.is_number()
                       ? Vector(static_cast<float>(finite_number(end, key, minimum, maximum)))
                       : read_row<Vector>(end, key, minimum, maximum);
        };
        return {read((*ends)[0]), read((*ends)[1])};
    }

    /// Arrays of `length` numbers each, one after the other.
    [[nodiscard]] std::vector<double> numbers(const char* key, std::size_t length);
    /// A text or an array of texts, of which there is at least one; none without the key.
    [[nodiscard]] std::vector<std::string> texts(const char* key);
    /// Arrays of `Vector::length()` numbers each: [[0, 0, 0], [1, 0, 0]].
    template <class Vector>
    [[nodiscard]] std::vector<Vector> vectors(const char* key) {
        std::vector<Vector> values;
        if (auto* array = find_rows(key))
            for (auto& row : *array)
                values.push_back(
                    read_row<Vector>(row, key, -kLargestCoordinate, kLargestCoordinate));
        return values;
    }
    /// Reads those of eye, target, up, fov, lens-radius and focus-distance that are present, in a
    /// scene that is moved by `offset`. Throws UserError where the resulting camera is unusable.
    void read_camera(Camera& camera, const glm::dvec3& offset);
    /// Three rows of four numbers: the upper rows of an affine matrix.
    [[nodiscard]] glm::dmat4 affine(const char* key);
    /// Arrays of `length` indices below `limit` each, one after the other.
    [[nodiscard]] std::vector<std::uint32_t> indices(const char* key, std::size_t length,
                                                     std::size_t limit);

    /// Calls `read` for each table of a list of tables: [[material]].
    template <class Read>
    void for_each_table(const char* key, Read read) {
        auto* node = find(key);
        if (!node) return;
        auto* array = node->as_array();
        if (!array)
            fail(key, std::string("'") + key + "' wants a list of tables; write [[" + key + "]]");
        for (auto& element : *array) {
            if (!element.is_table())
                throw UserError(
                    at(file_, element.source(),
                       std::string("'") + key + "' wants tables; write [[" + key + "]]"));
            read(*element.as_table());
        }
    }

    /// Throws UserError if the key is missing.
    void require(const char* key);
    /// Adds a warning for each key that was never requested.
    void warn_about_unknown_keys(Warnings& warnings) const;

    /// Throws UserError with the line of the key's value, or of the table if the key is missing.
    [[noreturn]] void fail(const char* key, const std::string& what) const;

  private:
    [[nodiscard]] std::string name_of(const char* key) const { return title_ + " " + key; }
    /// Throws UserError that names the key, with the line of a node in its value.
    [[noreturn]] void fail_at(const toml::node& node, const char* key,
                              const std::string& what) const;
    /// The value of a key; null without the key. Throws UserError where it is not of type T.
    template <class T>
    const auto* find_typed(const char* key, const char* wanted);
    const toml::array* find_rows(const char* key);
    /// The array of two at a key; null without the key.
    const toml::array* find_pair(const char* key);
    double finite_number(const toml::node& node, const char* key, double minimum,
                         double maximum) const;
    template <class Number>
    void read_row(const toml::node& row, const char* key, std::span<Number> values, double minimum,
                  double maximum) const;
    template <class Vector>
    Vector read_row(const toml::node& row, const char* key, double minimum, double maximum) const {
        Vector value;
        read_row(row, key, std::span(&value.x, static_cast<std::size_t>(Vector::length())), minimum,
                 maximum);
        return value;
    }

    const toml::table& table_;
    std::string title_;
    const std::string& file_;
    std::vector<std::string> known_;
};

}  // namespace tl
