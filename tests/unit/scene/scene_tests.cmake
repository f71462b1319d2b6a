# Tests of scene loading, generators and image files; tests/CMakeLists.txt adds them to unit_tests.
set(TL_SCENE_TESTS
    test_assimp_loading.cpp
    test_generators.cpp
    test_gltf_animation.cpp
    test_gltf_draco.cpp
    test_gltf_export.cpp
    test_gltf_export_materials.cpp
    test_gltf_extensions.cpp
    test_gltf_loading.cpp
    test_image_io.cpp
    test_metrics.cpp
    test_mip_maps.cpp
    test_obj_loading.cpp
    test_ply_loading.cpp
    test_rigid_motion.cpp
    test_scene_loading.cpp
    test_scene_opening.cpp)
