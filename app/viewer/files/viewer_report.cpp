#include "app/viewer/files/viewer_report.h"

#include <glad/gl.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/jobs/statistics.h"
#include "app/viewer/actions/compare_actions.h"
#include "app/viewer/viewer_model.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "renderer/images/image_io.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;
using namespace nlohmann::literals;

constexpr int kSchema = 1;
constexpr std::size_t kWarmUp = 10;  // frames; at most a quarter of the run

/// Median and 95th percentile without the first frames.
Json settled(const std::vector<double>& times) {
    auto warm_up = std::min(kWarmUp, times.size() / 4);
    std::vector<double> kept(times.begin() + static_cast<std::ptrdiff_t>(warm_up), times.end());
    return {{"median_ms", median(kept)}, {"p95_ms", p95(kept)}};
}

/// Mean over the frames after the warm-up, displayed ones included.
double frames_per_second(const std::vector<double>& times) {
    auto warm_up = std::min(kWarmUp, times.size() / 4);
    double sum = 0;
    for (std::size_t i = warm_up; i < times.size(); ++i) sum += times[i];
    return sum > 0 ? 1000 * static_cast<double>(times.size() - warm_up) / sum : 0;
}

Json stages_of(const FrameStatistics& statistics) {
    Json stages = Json::object();
    for (auto& stage : statistics.stages()) stages[stage.name] = settled(stage.history);
    return stages;
}

/// Counters of the renderer's newest frame and estimates of the picture, by name.
Json numbers_of(Session& session) {
    Json numbers = Json::object();
    for (auto& count : session.inspection().frame_counts()) numbers[count.name] = count.value;
    for (auto& figure : session.inspection().picture_figures()) numbers[figure.name] = figure.share;
    return numbers;
}

/// Side B and the error figures of side A against it.
Json comparison_of(ViewerModel& model) {
    auto& compare = model.view.compare;
    auto& second = compare.second->session();
    second.timer().flush();
    compare.second->statistics.add_stages(second.timer());
    Json report = {{"choices", text_of(compare.choices)},
                   {"view", row_of(compare.mode).id},
                   {"reference", "B"},
                   {"samples", {{"a", model.session.samples()}, {"b", second.samples()}}}};
    // All of the last pictures; a viewer that was closed early has not found them yet.
    auto now = stamp_of(model.session, second);
    auto found = compare.figures.shown(now);
    bool whole = found.figures && found.figures->stamp == now &&
                 (found.flip || !found.figures->fault.empty());
    if (!whole) compare.figures.find_now(model.session, second);
    auto [figures, flip] = compare.figures.shown(now);
    if (figures && figures->fault.empty()) {
        report["relmse"] = figures->relative_mse;
        report["psnr"] = figures->psnr;  // null where it is infinite: JSON has no infinity
        report["flip"] = flip ? Json(flip->mean) : Json();
        report["differing_pixels"] = figures->n_differing;
        report["largest_difference"] = figures->largest;
    }
    if (figures && !figures->fault.empty()) report["fault"] = figures->fault;
    report["first"] = session_report(model.session);
    report["second"] = session_report(second);
    report["stages"] = stages_of(compare.second->statistics);
    return report;
}

void write_report(ViewerModel& model, std::uint64_t frames, std::uint64_t shown_frames) {
    auto& session = model.session;
    session.timer().flush();
    model.status.statistics.add_stages(session.timer());
    auto stages = stages_of(model.status.statistics);
    Extent picture = session.extent();
    Json report = {{"schema", kSchema},
                   {"scene", session.scene().name},
                   {"renderer", session.renderer_id()},
                   {"builder", session.builder_id()},
                   {"device", session.device().name()},
                   {"gl",
                    {{"context", model.context.name()},
                     {"renderer", model.status.gl_renderer},
                     {"version", model.status.gl_version}}},
                   {"picture", {{"width", picture.width}, {"height", picture.height}}},
                   {"frames", frames},
                   {"shown_frames", shown_frames},
                   {"samples", session.samples()},
                   {"frame", settled(model.status.statistics.all_frames())},
                   {"fps", frames_per_second(model.status.statistics.all_frames())},
                   {"present",
                    {{"way", model.status.present.way},
                     {"reason", model.status.present.reason},
                     {"device_median_ms", stages.value("/present/median_ms"_json_pointer, 0.0)},
                     {"gl_ms", model.status.present.gl_milliseconds}}},
                   {"stages", stages},
                   {"numbers", numbers_of(session)},
                   {"allocations", session.device().memory_stats().allocation_count}};
    if (model.view.compare.second) report["comparison"] = comparison_of(model);
    write_file(model.options.report, json_text(report));
}

}  // namespace

void write_results(ViewerModel& model, std::uint64_t frames, std::uint64_t shown_frames) {
    if (!model.status.stopped_by.empty()) throw UserError(model.status.stopped_by);
    if (!model.options.screenshot.empty()) save_pictures(model, model.options.screenshot);
    if (!model.options.report.empty()) write_report(model, frames, shown_frames);
    for (auto& state : model.interface.states)
        if (auto text = state->report(); !text.empty()) print("%s\n", text.c_str());
}

void save_window(const GlContext& context, const std::string& path) {
    Image8 image{context.size(), {}};
    auto row = static_cast<std::size_t>(image.extent.width) * 4;
    auto height = static_cast<std::size_t>(image.extent.height);
    std::vector<std::uint8_t> bottom_up(row * height);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, context.framebuffer());
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, image.extent.width, image.extent.height, GL_RGBA, GL_UNSIGNED_BYTE,
                 bottom_up.data());
    image.rgba.resize(bottom_up.size());
    for (std::size_t y = 0; y < height; ++y)
        std::copy_n(bottom_up.begin() + static_cast<std::ptrdiff_t>(y * row), row,
                    image.rgba.begin() + static_cast<std::ptrdiff_t>((height - 1 - y) * row));
    for (std::size_t i = 3; i < image.rgba.size(); i += 4) image.rgba[i] = 255;
    write_png(path, image);
}

}  // namespace tl
