// `treelight compare`: error metrics between two pictures in files.
#include <algorithm>
#include <cmath>

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/format.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "core/base/error.h"
#include "renderer/false_color/error_picture.h"

namespace tl {
namespace {

/// A row of the table of metrics.
struct Metric {
    const char* id;
    const char* help;
    bool larger_is_better;
};
constexpr Metric kMetrics[] = {
    {"relmse", "mean squared error relative to the reference's square", false},
    {"mse", "mean squared error", false},
    {"psnr", "peak signal-to-noise ratio of display colours, dB", true},
    {"flip", "what a viewer sees who flips between them, 0 to 1", false},
};

struct CompareOptions {
    std::string reference, test, metric = "flip", output, json;
    double most = -1;
    double pixels_per_degree = FlipView{}.pixels_per_degree;
};

/// A picture of either kind: display colours, or linear radiance.
struct Picture {
    bool is_linear = false;
    Image16 display;
    ImageF linear;  ///< of both kinds

    explicit Picture(const std::string& path) {
        is_linear = is_linear_picture(path);
        if (is_linear) {
            linear = read_image(path);
        } else {
            display = read_image16(path);
            linear = linear_of(display);
        }
        for (vec3 rgb : linear.rgb)
            if (!std::isfinite(rgb.x + rgb.y + rgb.z))
                throw UserError(path +
                                ": has pixels that are not finite; nothing can be said of it");
    }
};

ErrorMap map_of(const CompareOptions& o, const Picture& a, const Picture& b) {
    if (o.metric != "flip") return relative_squared_errors(a.linear, b.linear);
    FlipView view{o.pixels_per_degree};
    return a.is_linear ? flip_errors(a.linear, b.linear, view)
                       : flip_errors(a.display, b.display, view);
}

double value_of(const std::string& metric, const ErrorMap& map, const Picture& a,
                const Picture& b) {
    if (metric == "mse") return mean_squared_error(a.linear, b.linear);
    if (metric == "psnr") return peak_signal_to_noise(a.linear, b.linear);
    return map.mean();
}

void compare(const CompareOptions& o) {
    if (!o.output.empty()) check_picture_path(o.output, true);
    begin_report(o.json);
    Picture a(o.reference), b(o.test);
    if (a.is_linear != b.is_linear)
        throw UserError(o.reference + " and " + o.test +
                        ": one is linear, the other made for a display; compare two of a kind");
    if (a.linear.extent != b.linear.extent)
        throw UserError(formatted("%s has %dx%d pixels, %s %dx%d; compare pictures of one size",
                                  o.reference.c_str(), a.linear.extent.width,
                                  a.linear.extent.height, o.test.c_str(), b.linear.extent.width,
                                  b.linear.extent.height));
    auto map = map_of(o, a, b);
    double value = value_of(o.metric, map, a, b);
    if (!o.output.empty())
        write_png(o.output, error_picture(map, o.metric == "flip" ? 1 : usual_top(map)));
    // JSON has no infinity: equal pictures have no signal-to-noise ratio there.
    nlohmann::ordered_json report{{"schema", 1},
                                  {"reference", o.reference},
                                  {"test", o.test},
                                  {"metric", o.metric},
                                  {"value", value}};
    if (!o.json.empty()) write_json(o.json, report);
    print("%s %.6g\n", o.metric.c_str(), value);
    auto* row = std::ranges::find(kMetrics, o.metric, &Metric::id);
    if (o.most >= 0 && !(row->larger_is_better ? value >= o.most : value <= o.most))
        throw UserError(formatted("%s is %.6g, %s than %.6g", o.metric.c_str(), value,
                                  row->larger_is_better ? "less" : "more", o.most));
}

}  // namespace

void add_compare_command(CLI::App& program) {
    auto o = std::make_shared<CompareOptions>();
    auto* command = program.add_subcommand("compare", "Print the difference of two pictures");
    command->add_option("reference", o->reference, "the picture to compare with")->required();
    command->add_option("test", o->test, "the picture to compare")->required();
    std::string help;
    std::vector<std::string> ids;
    for (auto& metric : kMetrics) {
        help += (help.empty() ? "" : "; ") + std::string(metric.id) + ": " + metric.help;
        ids.emplace_back(metric.id);
    }
    add_value(*command, "--metric", o->metric, "ID", help)->check(CLI::IsMember(ids));
    command->add_option("--most", o->most, "exit code 1 above this value; for psnr, below it")
        ->type_name("X")
        ->check(between(0.0, 1e30));
    command
        ->add_option("-o,--output", o->output,
                     "picture of the errors, .png: of flip, else relative squared ones")
        ->type_name("FILE");
    add_value(*command, "--pixels-per-degree", o->pixels_per_degree, "N",
              "how closely flip looks: pixels per degree of the visual field")
        ->check(between(1.0, 1000.0));
    add_json_option(*command, o->json);
    command->callback([o] { compare(*o); });
}

}  // namespace tl
