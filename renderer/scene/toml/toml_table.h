// Checked reading of TOML tables: every value has a type and a range, every error a file and a
// line, and unknown keys give warnings.
#pragma once

#include <toml++/toml.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

/// "file:line: what".
[[nodiscard]] std::string at(const std::string& file, const toml::source_region& region,
                             const std::string& what);

class TomlTable {
  public:
    /// `title` names the table in messages: "[camera]". Table and file name must outlive this.
    TomlTable(const toml::table& table, std::string title, const std::string& file);

    [[nodiscard]] bool has(const char* key) const { return table_.contains(key); }
    /// The value of a key, or null; the key counts as known from now on.
    [[nodiscard]] const toml::node* find(const char* key);

    // Values, or `fallback` if the key is missing. Wrong types and values outside [minimum,
    // maximum] throw UserError.
    [[nodiscard]] double number(const char* key, double fallback, double minimum, double maximum);
    [[nodiscard]] bool flag(const char* key, bool fallback);
    [[nodiscard]] std::string text(const char* key, const std::string& fallback);
    /// Three numbers.
    [[nodiscard]] vec3 vector(const char* key, vec3 fallback);
    /// Two numbers, or one for both.
    [[nodiscard]] vec2 pair(const char* key, vec2 fallback, double minimum, double maximum);
    /// Three numbers, or one for all three.
    [[nodiscard]] vec3 color(const char* key, vec3 fallback, double minimum, double maximum);

    /// Arrays of `Vector::length()` numbers each: [[0, 0, 0], [1, 0, 0]].
    [[nodiscard]] std::vector<vec3> vectors3(const char* key);
    [[nodiscard]] std::vector<vec2> vectors2(const char* key);
    /// Three rows of four numbers: the upper rows of an affine matrix.
    [[nodiscard]] mat4 affine(const char* key);
    /// Arrays of `length` indices below `limit` each, one after the other.
    [[nodiscard]] std::vector<std::uint32_t> indices(const char* key, std::size_t length,
                                                     std::size_t limit);

    /// Throws UserError if the key is missing.
    void require(const char* key);
    /// Adds a warning for each key that was never looked up.
    void warn_about_unknown_keys(std::vector<std::string>& warnings) const;

    /// Throws UserError with the line of the key's value, or of the table if the key is missing.
    [[noreturn]] void fail(const char* key, const std::string& what) const;

  private:
    double finite_number(const toml::node& node, const std::string& name, double minimum,
                         double maximum) const;
    const toml::array* rows(const char* key);
    void read_row(const toml::node& row, const std::string& name, float* values, std::size_t length,
                  double minimum, double maximum) const;

    const toml::table& table_;
    std::string title_;
    const std::string& file_;
    std::vector<std::string> known_;
};

}  // namespace tl
