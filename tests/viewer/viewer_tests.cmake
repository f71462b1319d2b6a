# Unit tests of the viewer's parts.
set(TL_VIEWER_UNIT_TESTS test_background_job.cpp test_camera_controller.cpp test_camera_picking.cpp test_closing.cpp
    test_commands.cpp test_compare.cpp test_denoising.cpp test_dense_panel.cpp test_editing.cpp test_eig.cpp
    test_transport_view.cpp test_file_browser.cpp test_file_thumbnails.cpp test_file_watch.cpp test_frame_rate.cpp
    test_frames_apart.cpp test_gathering.cpp test_gizmo.cpp test_input_router.cpp test_interface.cpp test_keyboard.cpp
    test_layout.cpp test_memory.cpp test_menus.cpp test_random_input.cpp test_motion_resolution.cpp test_outliner.cpp
    test_panel.cpp
    test_patch_views.cpp test_picture_side.cpp test_picture_writer.cpp test_pixel_probe.cpp test_point_views.cpp
    test_pose.cpp test_preferences.cpp test_queue_panel.cpp test_region_view.cpp test_scene_loading.cpp
    test_search.cpp test_sequence_export.cpp test_session_gate.cpp test_setting_defaults.cpp test_side_choices.cpp
    test_sparse_panel.cpp test_svd.cpp test_svd_errors.cpp
    test_tree_views.cpp test_undo.cpp test_unsaved.cpp test_viewer.cpp test_water.cpp)
