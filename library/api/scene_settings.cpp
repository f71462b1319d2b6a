#include "library/api/scene_settings.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/device/registry.h"

namespace tl {
namespace {

[[noreturn]] void refuse(const tl_setting& setting, const std::string& wanted) {
    throw UserError("setting " + std::string(setting.name) + " does not accept '" + setting.value +
                    "': it wants " + wanted);
}

/// "0,1,-2.5"
std::vector<float> vector_in(const tl_setting& setting) {
    std::vector<float> numbers;
    std::string_view left = setting.value;
    for (bool more = true; more;) {
        auto comma = left.find(',');
        more = comma != std::string_view::npos;
        auto number = number_in<float>(left.substr(0, comma));
        if (!number) break;
        numbers.push_back(*number);
        if (more) left.remove_prefix(comma + 1);
    }
    if (numbers.size() != 3 || !number_in<float>(left)) refuse(setting, "three numbers, X,Y,Z");
    return numbers;
}

std::uint64_t seed_in(const tl_setting& setting) {
    auto seed = number_in<std::uint64_t>(setting.value);
    if (!seed) refuse(setting, "a whole number from 0");
    return *seed;
}

/// Settings by the name that their flags have: "whitted-max-depth". Throws UsageError.
void set_declared(PictureOptions& o, const tl_setting& given) {
    if (ignores_retired_flag(given.name)) return;
    const DeclaredSection* section = nullptr;
    if (auto* setting = find_by_flag(given.name, section)) {
        (void)setting->canonical(given.value);
        o.settings[section->id + "." + setting->id] = given.value;
        return;
    }
    throw UsageError("unknown setting '" + std::string(given.name) +
                     "'; known are the flags of `treelight render --help` about the picture");
}

/// Reads settings into options, which must outlive it.
class PictureReader {
  public:
    explicit PictureReader(PictureOptions& options)
        : options_(options), numbers_(view_settings(options)) {
        static const SettingsOf<PictureOptions> own{
            {"spp", &PictureOptions::spp, 1, kMostSamples, "", "samples a pixel"}};
        add(own.of(options));
    }

    void add(const Settings& numbers) {
        numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
    }
    void read(const tl_setting& given) {
        auto& o = options_;
        std::string name = given.name;
        auto number = std::ranges::find(numbers_, name, [](auto& number) { return number->id; });
        if (number != numbers_.end())
            number->set(given.value);
        else if (name == "renderer")
            o.renderer = find_row(renderers(), given.value, "renderer").id;
        else if (name == "builder")
            o.builder = find_row(tree_builders(), given.value, "builder").id;
        else if (name == "device")
            (void)find_devices(o.device = given.value);
        else if (name == "seed")
            o.seed = seed_in(given);
        else if (name == "eye" || name == "target" || name == "up")
            (name == "eye" ? o.eye : name == "up" ? o.up : o.target) = vector_in(given);
        else
            set_declared(o, given);
    }

  private:
    PictureOptions& options_;
    Settings numbers_;
};

FrameRange frames_in(const tl_setting& setting) {
    try {
        return parse_frame_range(setting.value);
    } catch (const UserError&) {
        refuse(setting, "FIRST:LAST, such as 0:99");
    }
}

}  // namespace

std::span<const tl_setting> settings_from(const tl_setting* settings, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        if (!settings || !settings[i].name || !settings[i].value)
            throw UserError("a setting is null");
    return {settings, count};
}

PictureOptions picture_options(std::span<const tl_setting> settings) {
    PictureOptions o;
    PictureReader reader(o);
    for (auto& given : settings) reader.read(given);
    return o;
}

SequenceOptions sequence_options(std::span<const tl_setting> settings) {
    SequenceOptions o;
    PictureReader reader(o);
    reader.add(sequence_settings(o.plan));
    bool has_frames = false;
    for (auto& given : settings) {
        std::string name = given.name;
        if (name == "frames")
            o.plan.range = frames_in(given), has_frames = true;
        else if (name == "camera-path")
            o.plan.camera_path = given.value;
        else
            reader.read(given);
    }
    if (!has_frames && o.plan.turntable == 0)
        throw UserError("a sequence needs the setting frames, FIRST:LAST, or turntable");
    if (!has_frames) o.plan.range = {0, o.plan.turntable - 1};
    o.plan.time = o.time;
    try {
        check_motion(o.plan, o);
    } catch (const UsageError& error) {
        throw UserError(error.what());  // all of them are known
    }
    return o;
}

SessionOptions opening_options(std::span<const tl_setting> settings) {
    SessionOptions o;
    static const SettingsOf<SessionOptions> flags{
        {"allow-outside", &SessionOptions::allow_outside, "let the scene read files outside"}};
    for (auto& given : settings) {
        std::string name = given.name;
        if (name == "environment")
            o.environment = given.value;
        else if (name == "allow-outside")
            flags.of(o)[0].set(given.value);
        else
            throw UsageError("unknown setting '" + name +
                             "' of opening; known: environment, allow-outside");
    }
    return o;
}

void store(const vec3& vector, double (&numbers)[3]) {
    for (int i = 0; i < 3; ++i) numbers[i] = double(vector[i]);
}

SessionSettings::Choices PictureOptions::choices(SessionSettings::Choices base) const {
    if (!renderer.empty()) base.renderer = renderer;
    if (!builder.empty()) base.builder = builder;
    for (auto& [key, value] : settings) {
        auto dot = key.find('.');
        base.settings[key.substr(0, dot)][key.substr(dot + 1)] = value;
    }
    return base;
}

}  // namespace tl
