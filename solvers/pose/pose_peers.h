// Libraries behind the PoseSolver interface, those that were found when the program was built.
#pragma once

#include "solvers/pose/pose_solver.h"

namespace tl {

/// Adds the rows of OpenCV's robust estimators and of OpenGV's RANSAC.
void add_opencv_rows(std::vector<PoseRow>& table);
void add_opengv_rows(std::vector<PoseRow>& table);

}  // namespace tl
