#include "renderer/scene/loaders/obj/mtl_reader.h"

#include <tiny_obj_loader.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "core/base/files.h"
#include "core/base/text.h"
#include "renderer/scene/loaders/obj/mtl_texture.h"
#include "renderer/scene/loaders/obj/plain_words.h"
#include "renderer/scene/loaders/words.h"

namespace tl {
namespace {

constexpr std::size_t kMostIgnored = 16;
constexpr int kMostIllum = 9;

using Source = tinyobj::material_t;

/// A statement of a colour: its keyword in lower case and as the library spells it.
struct MtlColorField {
    std::string_view keyword, spelling;
    tinyobj::real_t (Source::*source)[3];
    std::optional<vec3> MtlMaterial::*target;
};
constexpr MtlColorField kColorFields[] = {
    {"kd", "Kd", &Source::diffuse, &MtlMaterial::diffuse},
    {"ks", "Ks", &Source::specular, &MtlMaterial::specular},
    {"ke", "Ke", &Source::emission, &MtlMaterial::emission},
    {"tf", "Tf", &Source::transmittance, &MtlMaterial::transmittance},
    {"kt", "Kt", &Source::transmittance, &MtlMaterial::transmittance}};

struct MtlNumberField {
    std::string_view keyword, spelling;
    tinyobj::real_t Source::*source;
    std::optional<float> MtlMaterial::*target;
};
constexpr MtlNumberField kNumberFields[] = {
    {"ns", "Ns", &Source::shininess, &MtlMaterial::exponent},
    {"ni", "Ni", &Source::ior, &MtlMaterial::ior},
    {"d", "d", &Source::dissolve, &MtlMaterial::dissolve},
    {"tr", "Tr", &Source::dissolve, &MtlMaterial::dissolve},
    {"pr", "Pr", &Source::roughness, &MtlMaterial::roughness},
    {"pm", "Pm", &Source::metallic, &MtlMaterial::metallic},
    {"pc", "Pc", &Source::clearcoat_thickness, &MtlMaterial::coat},
    {"pcr", "Pcr", &Source::clearcoat_roughness, &MtlMaterial::coat_roughness}};

struct MtlTextureField {
    std::string_view keyword, spelling;
    std::string Source::*name;
    tinyobj::texture_option_t Source::*options;
    MtlTexture MtlMaterial::*target;
};
constexpr MtlTextureField kTextureFields[] = {
    {"map_kd", "map_Kd", &Source::diffuse_texname, &Source::diffuse_texopt, &MtlMaterial::color},
    {"map_d", "map_d", &Source::alpha_texname, &Source::alpha_texopt, &MtlMaterial::cutout},
    {"norm", "norm", &Source::normal_texname, &Source::normal_texopt, &MtlMaterial::normals},
    {"bump", "bump", &Source::bump_texname, &Source::bump_texopt, &MtlMaterial::bump},
    {"map_bump", "bump", &Source::bump_texname, &Source::bump_texopt, &MtlMaterial::bump},
    {"map_ke", "map_Ke", &Source::emissive_texname, &Source::emissive_texopt,
     &MtlMaterial::emission_map}};

/// The field of a keyword; null if there is none.
template <class Field, std::size_t kCount>
const Field* field_of(const Field (&fields)[kCount], std::string_view keyword) {
    auto found = std::ranges::find(fields, keyword, &Field::keyword);
    return found == std::end(fields) ? nullptr : found;
}

/// Goes over the lines, and gives the library each material that is wanted as a text of its own.
///
/// The library takes words that are no numbers for 0, as it takes numbers that are missing, and
/// does not tell which statements a material has. Thus the text has only those that are used, with
/// all their numbers, and the material notes which they are.
class MtlReader {
  public:
    MtlReader(const std::string& file, const MtlUser& user) : file_(file), user_(user) {}

    std::vector<std::string> read(const std::string& whole) {
        std::string_view text = whole;
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
        text_ = "newmtl " + name + "\nillum " + std::to_string(MtlMaterial{}.illum) + "\n";
        material_.emplace();
        material_->name = std::move(name);
    }

    void end_material() {
        if (!material_) return;
        std::map<std::string, int> places;
        std::vector<Source> materials;
        std::istringstream stream(text_);
        tinyobj::LoadMtl(&places, &materials, &stream, nullptr, nullptr);
        take(materials.back());
        user_.take(*material_);
        material_.reset();
    }

    /// Fills in the values of the statements that the material has.
    void take(const Source& source) {
        auto& m = *material_;
        m.illum = source.illum;
        for (auto& field : kColorFields) {
            auto& from = source.*field.source;
            if (m.*field.target) m.*field.target = vec3(from[0], from[1], from[2]);
        }
        for (auto& field : kNumberFields)
            if (m.*field.target) m.*field.target = static_cast<float>(source.*field.source);
        for (auto& field : kTextureFields) {
            auto& texture = m.*field.target;
            auto& options = source.*field.options;
            texture.name = source.*field.name;
            texture.scale = vec2(options.scale[0], options.scale[1]);
            texture.offset = vec2(options.origin_offset[0], options.origin_offset[1]);
            texture.clamp = options.clamp;
            if (texture.strength) texture.strength = static_cast<float>(options.bump_multiplier);
        }
    }

    /// Adds a statement to the text for the library.
    void hand_over(std::string_view keyword, std::string_view rest) {
        text_.append(keyword).append(" ").append(rest).append("\n");
    }

    bool read_color(std::string_view keyword, std::string_view spelled, std::string_view rest) {
        auto* field = field_of(kColorFields, keyword);
        if (!field) return false;
        auto first = next_word(rest);
        if (first == "spectral" || first == "xyz") {
            material_->ignore(std::string(spelled) + " " + std::string(first));
            return true;
        }
        std::string red = number(first);
        if (red.empty()) return true;
        std::string color = red;  // a single number is all three
        for (int k = 1; k < 3; ++k) {
            auto word = next_word(rest);
            std::string part = word.empty() ? red : number(word);
            color.append(" ").append(part.empty() ? "0" : part);
        }
        ((*material_).*field->target).emplace();
        hand_over(field->spelling, color);
        return true;
    }

    bool read_number(std::string_view keyword, std::string_view rest) {
        auto& m = *material_;
        if (keyword == "illum") {
            read_illum(next_word(rest));
            return true;
        }
        if (auto* field = field_of(kNumberFields, keyword)) {
            auto word = next_word(rest);
            if (keyword == "d" && word == "-halo") {
                m.ignore("d -halo");
                word = next_word(rest);
            }
            std::string given = number(word);
            if (given.empty()) return true;
            (m.*field->target).emplace();
            hand_over(field->spelling, given);
            return true;
        }
        // Statements without an effect where their value is 0.
        constexpr std::string_view kExtras[] = {"ps", "aniso", "anisor"};
        if (std::ranges::find(kExtras, keyword) == std::end(kExtras)) return false;
        auto word = next_word(rest);
        if (!number(word).empty() && real_in(word) != 0.0) m.ignore(keyword);
        return true;
    }

    void read_illum(std::string_view word) {
        std::string given = number(word);
        if (given.empty()) return;
        double model = *real_in(word);
        if (model >= 0 && model <= kMostIllum)
            hand_over("illum", std::to_string(static_cast<int>(model)));
        else
            material_->ignore("illum " + number_text(static_cast<float>(model)));
    }

    bool read_texture(std::string_view keyword, std::string_view rest) {
        auto* field = field_of(kTextureFields, keyword);
        if (!field) return false;
        MtlTextureStatement read = read_mtl_texture(rest);
        for (auto& option : read.ignored) material_->ignore(option);
        if (read.name.empty()) return true;
        auto& texture = (*material_).*field->target;
        texture.whole = read.whole;
        texture.strength.reset();
        if (!read.strength.empty()) texture.strength.emplace();
        hand_over(field->spelling, read.spelled());
        return true;
    }

    /// A word for the library that spells the same number, at most 1e30; "", with a warning, for no
    /// number.
    std::string number(std::string_view word) {
        constexpr double kLargest = 1e30;
        auto value = real_in(word);
        if (value && std::abs(*value) > kLargest)
            return number_text(std::copysign(kLargest, *value));
        if (value && !std::isnan(*value)) return plain_real(word, *value);
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
    std::string text_;                     // of the material, for the library
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

std::vector<std::string> read_mtl(const std::string& text, const std::string& file,
                                  const MtlUser& user) {
    return MtlReader(file, user).read(text);
}

}  // namespace tl
