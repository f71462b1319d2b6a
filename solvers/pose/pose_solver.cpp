#include "solvers/pose/pose_solver.h"

#include "core/device/registry.h"
#include "solvers/pose/pose_peers.h"

namespace tl {
namespace {

class RansacPose : public PoseSolver {
  public:
    explicit RansacPose(RansacMode mode) : mode_(mode) {}
    PoseEstimate estimate(Stream& stream, PoseKind kind, const PinholeCamera& camera,
                          std::span<const double> matches, SolverRun& run) override {
        return estimate_pose(stream, kind, camera, matches, config_, run, mode_);
    }
    bool takes(PoseKind kind) const override { return has_mode(kind, mode_); }

  private:
    RansacMode mode_;
};

template <RansacMode kMode>
std::unique_ptr<PoseSolver> make_ransac() {
    return std::make_unique<RansacPose>(kMode);
}

}  // namespace

const std::vector<PoseRow>& pose_solvers() {
    static const std::vector<PoseRow> table = [] {
        std::vector<PoseRow> rows{
            {"fused", "RANSAC on the device",
             "samples are solved, scored and refined in rounds that the device itself ends", false,
             &make_ransac<RansacMode::fused>, TL_CUDA_ONLY(&make_ransac<RansacMode::fused>)},
            {"staged", "RANSAC in stages",
             "solver, triangulation, errors and counts are kernels of their own (Cvrcek 2016), "
             "without refinement",
             false, &make_ransac<RansacMode::staged>,
             TL_CUDA_ONLY(&make_ransac<RansacMode::staged>)},
            {"split", "RANSAC, solved by the CPU",
             "as staged, with samples that the CPU solves while the device tests the models of the "
             "batch before",
             false, &make_ransac<RansacMode::split>, TL_CUDA_ONLY(&make_ransac<RansacMode::split>)},
            {"hybrid", "RANSAC, solved by both",
             "as split, with action matrices that the CPU builds and whose eigenvectors the device "
             "finds (Cvrcek 2016), for relative poses",
             false, &make_ransac<RansacMode::hybrid>,
             TL_CUDA_ONLY(&make_ransac<RansacMode::hybrid>)},
        };
        add_opencv_rows(rows);
        add_opengv_rows(rows);
        return rows;
    }();
    return table;
}

std::unique_ptr<PoseSolver> make_pose_solver(const std::string& id, const Device& device) {
    return make_from_row(pose_solvers(), id, device, "pose mode");
}

const std::vector<PoseKindRow>& pose_kinds() {
    static const std::vector<PoseKindRow> table{
        {"relative", PoseKind::relative,
         "between two calibrated views, from matches x1, y1, x2, y2 in pixels"},
        {"relative-focal", PoseKind::relative_focal,
         "between two views of one unknown focal length, from matches x1, y1, x2, y2"},
        {"absolute", PoseKind::absolute,
         "of a calibrated view, from pixels and known points x, y, X, Y, Z"},
        {"absolute-focal", PoseKind::absolute_focal,
         "of a view of unknown focal length, from pixels and known points x, y, X, Y, Z"},
        {"homography", PoseKind::homography,
         "matrix between two uncalibrated views of one plane, from matches x1, y1, x2, y2"},
        {"fundamental", PoseKind::fundamental,
         "matrix between two uncalibrated views, from matches x1, y1, x2, y2"},
    };
    return table;
}

const PoseKindRow& row_of(PoseKind kind) {
    return pose_kinds()[static_cast<std::size_t>(kind)];
}

}  // namespace tl
