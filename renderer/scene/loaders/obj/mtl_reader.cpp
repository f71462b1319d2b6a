#include "renderer/scene/loaders/obj/mtl_reader.h"

#include <algorithm>
#include <cmath>

#include "core/base/files.h"
#include "core/base/text.h"
#include "renderer/scene/loaders/words.h"

namespace tl {
namespace {

constexpr std::size_t kMostIgnored = 16;
constexpr int kMostIllum = 9;

class MtlReader {
  public:
    MtlReader(const std::string& file, const MtlUser& user) : file_(file), user_(user) {}

    std::vector<std::string> read(std::string_view text) {
        for (std::size_t begin = 0; begin < text.size();) {
            ++line_;
            std::size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
            read_statement(text.substr(begin, end - begin));
            begin = end + (text.substr(end, 2) == "\r\n" ? 2 : 1);
        }
        end_material();
        std::vector<std::string> warnings;
        if (n_faults_ > 1) first_fault_ += "; so have " + std::to_string(n_faults_ - 1) + " more";
        if (n_faults_ > 0) warnings.push_back(std::move(first_fault_));
        if (n_homeless_ > 0)
            warnings.push_back(file_ + ": ignores " + std::to_string(n_homeless_) +
                               " statements before the first newmtl");
        return warnings;
    }

  private:
    void read_statement(std::string_view statement) {
        std::string_view rest = statement;
        std::string_view spelled = next_word(rest);
        if (spelled.empty() || spelled[0] == '#') return;
        if (spelled.size() > kLongestKeyword) spelled = spelled.substr(0, kLongestKeyword);
        std::string keyword = lower_case(spelled);
        if (keyword == "newmtl") return start_material(rest);
        if (!is_in_material_) ++n_homeless_;
        if (!material_) return;
        if (!read_color(keyword, spelled, rest) && !read_number(keyword, rest) &&
            !read_texture(keyword, rest) && keyword != "ka")
            material_->ignore(spelled);
    }

    void start_material(std::string_view rest) {
        end_material();
        is_in_material_ = true;
        std::string name(trimmed(rest));
        if (name.empty() || !user_.wants(name)) return;
        material_.emplace();
        material_->name = std::move(name);
    }

    void end_material() {
        if (material_) user_.take(*material_);
        material_.reset();
    }

    bool read_color(std::string_view keyword, std::string_view spelled, std::string_view rest) {
        auto* color = keyword == "kd"                      ? &material_->diffuse
                      : keyword == "ks"                    ? &material_->specular
                      : keyword == "ke"                    ? &material_->emission
                      : keyword == "tf" || keyword == "kt" ? &material_->transmittance
                                                           : nullptr;
        if (!color) return false;
        auto first = next_word(rest);
        if (first == "spectral" || first == "xyz") {
            material_->ignore(std::string(spelled) + " " + std::string(first));
            return true;
        }
        auto red = number(first);
        if (!red) return true;
        vec3 value(*red);  // a single number is all three
        for (int k = 1; k < 3; ++k)
            if (auto word = next_word(rest); !word.empty()) value[k] = number(word).value_or(0.0f);
        *color = value;
        return true;
    }

    bool read_number(std::string_view keyword, std::string_view rest) {
        auto& m = *material_;
        if (keyword == "illum") {
            auto model = number(next_word(rest));
            if (model && *model >= 0 && *model <= float{kMostIllum})
                m.illum = static_cast<int>(*model);
            else if (model)
                m.ignore("illum " + number_text(*model));
            return true;
        }
        const std::pair<std::string_view, std::optional<float>*> numbers[] = {
            {"ns", &m.exponent},  {"ni", &m.ior},
            {"d", &m.dissolve},   {"tr", &m.transparency},
            {"pr", &m.roughness}, {"pm", &m.metallic},
            {"pc", &m.coat},      {"pcr", &m.coat_roughness}};
        for (auto& [name, value] : numbers) {
            if (name != keyword) continue;
            auto word = next_word(rest);
            if (keyword == "d" && word == "-halo") {
                m.ignore("d -halo");
                word = next_word(rest);
            }
            if (auto given = number(word)) *value = given;
            return true;
        }
        // Statements without an effect where their value is 0.
        constexpr std::string_view kExtras[] = {"ps", "aniso", "anisor"};
        if (std::ranges::find(kExtras, keyword) == std::end(kExtras)) return false;
        if (number(next_word(rest)).value_or(0.0f) != 0) m.ignore(keyword);
        return true;
    }

    bool read_texture(std::string_view keyword, std::string_view rest) {
        auto& m = *material_;
        auto* texture = keyword == "map_kd"                          ? &m.color
                        : keyword == "map_d"                         ? &m.cutout
                        : keyword == "norm"                          ? &m.normals
                        : keyword == "bump" || keyword == "map_bump" ? &m.bump
                        : keyword == "map_ke"                        ? &m.emission_map
                                                                     : nullptr;
        if (!texture) return false;
        MtlTextureStatement read = read_mtl_texture(rest);
        for (auto& option : read.ignored) m.ignore(option);
        if (!read.texture.name.empty()) *texture = std::move(read.texture);
        return true;
    }

    /// The number that a word spells; none, with a warning, if it spells none that is finite.
    std::optional<float> number(std::string_view word) {
        constexpr double kLargest = 1e30;
        auto value = real_in(word);
        if (value && !std::isnan(*value))
            return static_cast<float>(std::clamp(*value, -kLargest, kLargest));
        if (n_faults_++ == 0)
            first_fault_ =
                file_ + ":" + std::to_string(line_) + ": " +
                (word.empty() ? "a number is missing" : "'" + shown(word) + "' is none") +
                ", so that its statement has no effect";
        return {};
    }

    static constexpr std::size_t kLongestKeyword = 40;
    const std::string& file_;
    const MtlUser& user_;
    std::optional<MtlMaterial> material_;  // none: one that is not wanted
    bool is_in_material_ = false;
    std::string first_fault_;
    std::size_t line_ = 0, n_faults_ = 0, n_homeless_ = 0;
};

}  // namespace

void MtlMaterial::ignore(std::string_view what) {
    if (ignored.size() == kMostIgnored) return;
    std::string name = shown(what);
    if (std::ranges::find(ignored, name) == ignored.end()) ignored.push_back(std::move(name));
}

std::vector<std::string> read_mtl(std::string_view text, const std::string& file,
                                  const MtlUser& user) {
    return MtlReader(file, user).read(text);
}

}  // namespace tl
