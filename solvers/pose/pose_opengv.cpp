// OpenGV's RANSAC for relative poses as a peer.
#include "solvers/pose/pose_peers.h"

#if defined(TL_HAS_OPENGV)
#include <chrono>
#include <cmath>
#include <opengv/relative_pose/CentralRelativeAdapter.hpp>
#include <opengv/sac/Ransac.hpp>
#include <opengv/sac_problems/relative_pose/CentralRelativePoseSacProblem.hpp>
#endif

namespace tl {

#if defined(TL_HAS_OPENGV)

namespace {

namespace gv = opengv;
using GvProblem = gv::sac_problems::relative_pose::CentralRelativePoseSacProblem;

template <GvProblem::algorithm_t kAlgorithm>
class OpenGvPose : public PoseSolver {
  public:
    PoseEstimate estimate(Stream& /*stream*/, PoseKind kind, const PinholeCamera& camera,
                          std::span<const double> matches, SolverRun& run) override {
        if (kind != PoseKind::relative)
            throw UserError("OpenGV is a peer for relative poses of calibrated views alone");
        run.report(0);
        auto start = std::chrono::steady_clock::now();
        std::size_t count = matches.size() / 4;
        gv::bearingVectors_t first(count), second(count);
        for (std::size_t i = 0; i < count; ++i) {
            auto direction = [&](double x, double y) {
                return gv::bearingVector_t((x - camera.cx) / camera.fx, (y - camera.cy) / camera.fy,
                                           1)
                    .normalized();
            };
            first[i] = direction(matches[4 * i], matches[4 * i + 1]);
            second[i] = direction(matches[4 * i + 2], matches[4 * i + 3]);
        }
        gv::relative_pose::CentralRelativeAdapter adapter(first, second);
        gv::sac::Ransac<GvProblem> ransac;
        ransac.sac_model_ = std::make_shared<GvProblem>(adapter, kAlgorithm);
        // Its errors are 1 - cos(angle) between directions.
        ransac.threshold_ = 1 - std::cos(std::atan(static_cast<double>(config_.threshold) /
                                                   ((camera.fx + camera.fy) / 2)));
        ransac.max_iterations_ = config_.most_samples;
        ransac.probability_ = static_cast<double>(config_.confidence);
        ransac.computeModel();
        PoseEstimate result;
        result.inliers.assign(count, 0);
        for (int i : ransac.inliers_) result.inliers[static_cast<std::size_t>(i)] = 1;
        result.n_inliers = ransac.inliers_.size();
        result.n_samples = static_cast<std::uint64_t>(ransac.iterations_);
        // Its pose is of the second view in the first one.
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                result.pose.rotation[3 * i + j] = ransac.model_coefficients_(j, i);
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 3; ++k)
                result.pose.translation[i] -=
                    result.pose.rotation[3 * i + k] * ransac.model_coefficients_(k, 3);
        motion::normalise(result.pose.translation);
        motion::essential_of(result.pose, result.essential);
        for (double& e : result.essential) e /= std::sqrt(2.0);
        if (result.n_inliers < least_matches(kind)) result.doubt = PoseDoubt::not_found;
        result.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        return result;
    }
    bool takes(PoseKind kind) const override { return kind == PoseKind::relative; }
};

template <GvProblem::algorithm_t kAlgorithm>
std::unique_ptr<PoseSolver> make_opengv() {
    return std::make_unique<OpenGvPose<kAlgorithm>>();
}

}  // namespace

void add_opengv_rows(std::vector<PoseRow>& table) {
    table.push_back({"opengv-nister", "OpenGV, Nister", "OpenGV's RANSAC with Nister's solver",
                     true, &make_opengv<GvProblem::NISTER>, nullptr});
    table.push_back({"opengv-stewenius", "OpenGV, Stewenius",
                     "OpenGV's RANSAC with the solver of Stewenius", true,
                     &make_opengv<GvProblem::STEWENIUS>, nullptr});
}

#else

void add_opengv_rows(std::vector<PoseRow>& /*table*/) {}

#endif

}  // namespace tl
