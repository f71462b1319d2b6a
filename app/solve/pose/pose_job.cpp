#include "app/solve/pose/pose_job.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/jobs/format.h"
#include "app/solve/pose/picture_matches.h"
#include "app/solve/pose/pose_problem.h"
#include "core/device/registry.h"
#include "solvers/pose/random_views.h"

namespace tl {
namespace {

/// Width of the pictures and samples per pixel. Feature matching needs more of both than display.
struct PictureQuality {
    int width;
    std::uint32_t spp;
};
PictureQuality quality_of(MatchSource source) {
    return source == MatchSource::pictures ? PictureQuality{640, 16} : PictureQuality{360, 4};
}

/// Size of the pictures, with the aspect ratio of the viewer's picture: at most the width of their
/// quality, at most twice as high.
Extent picture_extent(const PoseTask& task) {
    double width = quality_of(task.source).width;
    double scale = std::min(width / task.picture.width, 2 * width / task.picture.height);
    auto scaled = [&](int size) {
        return std::max(1, static_cast<int>(std::lround(scale * double(size))));
    };
    return {scaled(task.picture.width), scaled(task.picture.height)};
}

void check_views(const PoseTask& task) {
    if (task.picture.pixels() <= 0) throw UserError("the picture of the viewer has no pixels");
    if (task.first == task.second)
        throw UserError(task.first_name + " and " + task.second_name +
                        " are the same camera: choose two that differ");
    if (task.kind == PoseKind::relative_focal &&
        task.first.vertical_fov != task.second.vertical_fov)
        throw UserError(formatted(
            "two views of one unknown focal length need one field of view; these have %.4g and "
            "%.4g degrees: choose a kind of pose with calibrated views",
            double(task.first.vertical_fov), double(task.second.vertical_fov)));
    if (task.source == MatchSource::pictures && *no_features_reason())
        throw UserError(no_features_reason());
}

Image8 render_view(Session& session, const Camera& camera, std::uint32_t spp, double from,
                   JobRun& run) {
    session.camera = camera;
    session.restart();
    do {
        session.begin_frame();
        session.render_frame();
        session.end_frame();
        session.stream().synchronize();
        run.report(from + 0.5 * double(session.samples()) / spp);
    } while (session.samples() < spp && !(session.samples() > 0 && session.finished()));
    return session.display().picture();
}

/// Matches features. A match is right if the surface at its first position projects near its second
/// position.
ViewMatches feature_matches(Session& session, const PoseTask& task, const Image8& first,
                            const Image8& second, const PoseOutcome& outcome) {
    auto found = picture_matches(first, second, task.matches.count);
    std::vector<double> in_first;
    for (std::size_t i = 0; i < found.size(); i += 4)
        in_first.insert(in_first.end(), {found[i], found[i + 1]});
    auto points = points_at(session, outcome.first, in_first);
    // Features are accurate to about a pixel, and in smaller versions of the picture to some
    // pixels.
    const double reach = std::max(3.0, double(task.ransac.threshold));
    ViewMatches matches;
    for (std::size_t i = 0; i < found.size() / 4; ++i) {
        double pixel[2];
        const double* place = found.data() + 4 * i + 2;
        const double* point = points.data() + 3 * i;
        bool right = !std::isnan(point[0]) && outcome.second.project(point, pixel) &&
                     std::hypot(pixel[0] - place[0], pixel[1] - place[1]) < reach;
        matches.add(found.data() + 4 * i, place, point, right);
    }
    return matches;
}

/// One picture above the other.
Image8 stacked(const Image8& first, const Image8& second) {
    Image8 both{{first.extent.width, 2 * first.extent.height}, first.rgba};
    both.rgba.insert(both.rgba.end(), second.rgba.begin(), second.rgba.end());
    return both;
}

double median_distance(const ViewMatches& matches, const double* eye) {
    std::vector<double> distances;
    for (std::size_t i = 0; i < matches.count(); ++i)
        if (double d = distance_between(matches.points.data() + 3 * i, eye); std::isfinite(d))
            distances.push_back(d);
    if (distances.empty()) return 0;
    auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::ranges::nth_element(distances, middle);
    return *middle;
}

/// Renders both pictures and matches them. The session's tree answers which surfaces the views see.
void make_matches(const PoseTask& task, JobRun& run, PoseOutcome& outcome) {
    run.enter("copying the scene");
    auto quality = quality_of(task.source);
    auto session = session_of(task.session, picture_extent(task));
    run.enter("rendering the pictures");
    auto second = render_view(*session, task.second, quality.spp, 0, run);
    auto first = render_view(*session, task.first, quality.spp, 0.5, run);
    outcome.pictures = stacked(first, second);
    run.enter("matching");
    Extent extent = task.source == MatchSource::scene ? task.picture : first.extent;
    outcome.first = pinhole_view(task.first, extent);
    outcome.second = pinhole_view(task.second, extent);
    outcome.matches =
        task.source == MatchSource::scene
            ? scene_matches(*session, outcome.first, outcome.second, task.matches, task.kind, run)
            : feature_matches(*session, task, first, second, outcome);
}

ViewError error_of(const PoseTask& task, const PoseOutcome& outcome) {
    ViewError off;
    auto truth = true_pose(outcome.first, outcome.second, task.kind);
    auto error = pose_error(outcome.estimate.pose, truth, task.kind);
    off.rotation = error.rotation;
    // Without a baseline the direction is arbitrary.
    double baseline = distance_between(outcome.first.center, outcome.second.center);
    if (!is_relative(task.kind) || baseline > 1e-9 * outcome.depth) {
        if (is_relative(task.kind)) off.direction = error.translation;
        off.position = distance_between(outcome.found.center, outcome.second.center);
    }
    if (finds_focal(task.kind)) off.focal = std::abs(outcome.estimate.pose.focal / truth.focal - 1);
    return off;
}

void estimate_view(const PoseTask& task, JobRun& run, PoseOutcome& outcome) {
    run.enter("estimating the pose");
    Device& device = find_device(task.device);
    outcome.device = device.id();
    RansacConfig config = task.ransac;
    std::map<std::string, std::string> given;
    for (auto& setting : ransac_settings(config)) given["pose." + setting->id] = setting.text();
    auto solver = make_configured_pose(task.mode, device, given);
    auto stream = create_background_stream(device, task.background);
    auto& matches = outcome.matches;
    auto numbers = numbers_of(matches, outcome.first, outcome.second, task.kind);
    outcome.n_matches = matches.count();
    outcome.n_right = matches.n_right();
    outcome.depth = median_distance(matches, outcome.first.center);
    if (outcome.n_matches < least_matches(task.kind))
        throw UserError(
            formatted("%zu matches were found between the two pictures; a pose needs "
                      "%zu: choose views that are nearer to each other",
                      outcome.n_matches, least_matches(task.kind)));
    auto& camera = is_relative(task.kind) ? outcome.first.camera : outcome.second.camera;
    outcome.estimate = solver->estimate(*stream, task.kind, camera, numbers, run);
    auto& estimate = outcome.estimate;
    for (std::size_t i = 0; i < outcome.n_matches; ++i)
        outcome.n_right_found += estimate.inliers[i] && matches.right[i] ? 1 : 0;
    outcome.found = view_by_pose(outcome.first, outcome.second, estimate.pose, task.kind);
    if (estimate.doubt != PoseDoubt::not_found) outcome.off = error_of(task, outcome);
}

}  // namespace

const char* id_of(MatchSource source) {
    return source == MatchSource::scene ? "scene" : "pictures";
}

PinholeView PoseOutcome::assumed_first() const {
    PinholeView view = first;
    if (has_pose() && kind == row_of(PoseKind::relative_focal).id) view.camera = found.camera;
    return view;
}

PoseOutcome expected_outcome(const PoseTask& task) {
    PoseOutcome outcome;
    outcome.first_name = task.first_name;
    outcome.second_name = task.second_name;
    outcome.kind = row_of(task.kind).id;
    outcome.mode = task.mode;
    outcome.device = task.device;
    outcome.source = task.source;
    outcome.spec = task.matches;
    outcome.threshold = task.ransac.threshold;
    return outcome;
}

void run_pose(const PoseTask& task, JobRun& run, PoseOutcome& outcome) {
    yield_to_other_threads();
    std::optional<YieldingTeam> team;
    if (task.session.device->kind() == DeviceKind::cpu) team.emplace();
    check_views(task);
    make_matches(task, run, outcome);
    estimate_view(task, run, outcome);
}

}  // namespace tl
