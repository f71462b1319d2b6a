// What the user can do with decompositions, for keys, menus and the panel. None of them throws.
#pragma once

#include "app/solve/svd/svd_view.h"

namespace tl {

/// Runs what the panel has chosen; says so where one is running.
void start_svd(ViewerModel& model);
/// The same of another source.
void start_svd_of(ViewerModel& model, SvdSource source);
/// Runs what the panel has chosen, or stops what runs.
void toggle_svd(ViewerModel& model);
/// What is to be known before one waits for a cancelled run to end: that a library's cannot be
/// stopped in the middle. "" where nothing runs, or what runs stops at once.
[[nodiscard]] std::string cancel_note(const SvdView& view);
/// Asks for the frame of that rank, 1 to most_rank().
void show_rank(ViewerModel& model, int rank);

/// The luminance of the picture as shown: sRGB's weights of the coded values, in [0, 1]. Waits for
/// the frame.
[[nodiscard]] HostMatrix<float> luminance_of(Session& session);

/// The history as a table with the columns of the thesis's tables 3.1 to 3.3 (size, seconds of the
/// whole, of the bidiagonalisation and of the diagonalisation), and what else is known.
[[nodiscard]] std::string history_csv(const SvdView& view);
/// The same as JSON, with all values and stages.
[[nodiscard]] std::string history_json(const SvdView& view);
/// The outcome in one line, with the frames a second before, during and after the run.
[[nodiscard]] std::string summary_of(const SvdOutcome& outcome);
void copy_svd_csv(ViewerModel& model);
void copy_svd_json(ViewerModel& model);

/// Seconds of the stages that make a matrix bidiagonal and of those that make the bidiagonal
/// diagonal, vectors included; negative where the mode does not tell.
struct SvdParts {
    double bidiagonalise = -1, diagonalise = -1;
};
[[nodiscard]] SvdParts parts_of(const SvdOutcome& outcome);

}  // namespace tl
