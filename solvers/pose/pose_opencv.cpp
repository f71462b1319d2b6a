// OpenCV's robust estimators of essential matrices, homographies and fundamental matrices as peers.
#include "solvers/pose/pose_peers.h"

#if defined(TL_HAS_OPENCV)
#include <chrono>
#include <cmath>
#include <opencv2/calib3d.hpp>
#include <opencv2/core.hpp>
#endif

namespace tl {

#if defined(TL_HAS_OPENCV)

namespace {

/// Copies the marks of inliers, and doubts a result that is not 3 x 3 or has too few of them.
void take_inliers(const cv::Mat& found, const cv::Mat& mask, PoseKind kind, PoseEstimate& result) {
    result.doubt = PoseDoubt::not_found;
    if (found.rows != 3 || found.cols != 3) return;
    for (std::size_t i = 0; i < result.inliers.size(); ++i) {
        result.inliers[i] = mask.at<std::uint8_t>(static_cast<int>(i)) ? 1 : 0;
        result.n_inliers += result.inliers[i];
    }
    if (result.n_inliers >= least_matches(kind)) result.doubt = PoseDoubt::none;
}

template <int kMethod>
class OpenCvPose : public PoseSolver {
  public:
    PoseEstimate estimate(Stream& /*stream*/, PoseKind kind, const PinholeCamera& camera,
                          std::span<const double> matches, SolverRun& run) override {
        if (!takes(kind))
            throw UserError("OpenCV is a peer for calibrated or uncalibrated pairs of views alone");
        run.report(0);
        auto start = std::chrono::steady_clock::now();
        std::size_t count = matches.size() / 4;
        std::vector<cv::Point2d> first(count), second(count);
        for (std::size_t i = 0; i < count; ++i) {
            first[i] = {matches[4 * i], matches[4 * i + 1]};
            second[i] = {matches[4 * i + 2], matches[4 * i + 3]};
        }
        cv::setRNGSeed(config_.seed);
        PoseEstimate result;
        result.inliers.assign(count, 0);
        if (kind == PoseKind::relative)
            find_pose(first, second, camera, result);
        else
            find_matrix(first, second, kind, result);
        result.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        return result;
    }
    bool takes(PoseKind kind) const override {
        return kind == PoseKind::relative || finds_matrix(kind);
    }

  private:
    using Points = std::vector<cv::Point2d>;

    void find_pose(const Points& first, const Points& second, const PinholeCamera& camera,
                   PoseEstimate& result) {
        cv::Matx33d k(camera.fx, 0, camera.cx, 0, camera.fy, camera.cy, 0, 0, 1);
        cv::Mat mask, rotation, translation;
        cv::Mat e =
            cv::findEssentialMat(first, second, k, kMethod, static_cast<double>(config_.confidence),
                                 static_cast<double>(config_.threshold), mask);
        if (e.rows == 3 && e.cols == 3) {
            cv::recoverPose(e, first, second, k, rotation, translation, mask);
            double squares = e.dot(e);
            for (int i = 0; i < 9; ++i) {
                result.pose.rotation[i] = rotation.at<double>(i / 3, i % 3);
                result.essential[i] = e.at<double>(i / 3, i % 3) / std::sqrt(squares);
            }
            for (int i = 0; i < 3; ++i) result.pose.translation[i] = translation.at<double>(i);
        }
        take_inliers(e, mask, PoseKind::relative, result);
    }
    void find_matrix(const Points& first, const Points& second, PoseKind kind,
                     PoseEstimate& result) {
        const auto threshold = static_cast<double>(config_.threshold);
        const auto confidence = static_cast<double>(config_.confidence);
        cv::Mat mask;
        cv::Mat found = kind == PoseKind::homography
                            ? cv::findHomography(first, second, kMethod, threshold, mask,
                                                 config_.most_samples, confidence)
                            : cv::findFundamentalMat(first, second, kMethod, threshold, confidence,
                                                     config_.most_samples, mask);
        if (found.rows == 3 && found.cols == 3) {
            for (int i = 0; i < 9; ++i) result.matrix.m[i] = found.at<double>(i / 3, i % 3);
            motion::normalise_matrix(result.matrix.m);
        }
        take_inliers(found, mask, kind, result);
    }
};

template <int kMethod>
std::unique_ptr<PoseSolver> make_opencv() {
    return std::make_unique<OpenCvPose<kMethod>>();
}

}  // namespace

void add_opencv_rows(std::vector<PoseRow>& table) {
    const char* help =
        "OpenCV's findEssentialMat() and recoverPose(), findHomography() or findFundamentalMat()";
    table.push_back(
        {"opencv-usac", "OpenCV USAC", help, true, &make_opencv<cv::USAC_DEFAULT>, nullptr});
    table.push_back({"opencv-accurate", "OpenCV USAC, accurate", help, true,
                     &make_opencv<cv::USAC_ACCURATE>, nullptr});
    table.push_back({"opencv-magsac", "OpenCV USAC, MAGSAC", help, true,
                     &make_opencv<cv::USAC_MAGSAC>, nullptr});
}

#else

void add_opencv_rows(std::vector<PoseRow>& /*table*/) {}

#endif

}  // namespace tl
