"""Of the stories by real processes those that run at night, because others show the same by day: most of them by the
verbs, in process. What only processes can show keeps a story by day.
"""

from __future__ import annotations

STORIES = {
    "tests/scenarios/test_terminal_app.py::test_R_Enter_D_Space_A_approves_what_was_on_screen_and_it_can_be_merged": (
        "tests/scenarios/test_demo.py::test_the_demo_tells_its_whole_story_wherever_it_is_run_and_leaves_what_it_tells"
    ),
    "tests/scenarios/test_mcp.py::test_I5_a_person_who_starts_a_server_is_no_person_through_it": (
        "tests/ui/mcp/test_server.py::test_I5_below_an_editor_it_starts_and_hands_in_and_decides_nothing and "
        "tests/scenarios/test_mcp.py::test_I5_a_server_whose_starter_is_gone_keeps_its_evidence_and_decides_nothing"
    ),
    "tests/scenarios/test_merge_regressions.py::test_held_conflicting_and_stuck_items_never_block_the_others": (
        "tests/app/gate/test_merger.py::test_a_check_that_broke_leaves_it_stuck_and_the_others_go_on_Q3 and "
        "tests/app/gate/test_merger.py::test_a_conflict_brings_it_back_with_the_files_and_the_target_stays_Q3"
    ),
    "tests/scenarios/test_story.py::"
    "test_K1_a_claim_that_was_killed_while_its_worktree_was_made_is_finished_by_the_next_call": (
        "tests/app/work/test_reserving.py::"
        "test_a_call_that_was_cut_off_is_finished_by_the_next_one_of_the_session_K1 and "
        "tests/adapters/git/checkouts/test_task_worktrees.py::"
        "test_a_worktree_that_was_killed_while_its_files_were_written_is_finished_G4"
    ),
    "tests/scenarios/test_gate_regressions.py::"
    "test_an_attempt_that_edits_the_gates_settings_is_judged_by_the_old_ones_and_by_a_person": (
        "tests/scenarios/test_attacks_checks.py::"
        "test_P12_an_attempt_is_judged_by_the_accepted_checks_whatever_it_does_to_foureyes_toml and "
        "tests/app/gate/test_merge_again.py::test_settings_that_a_person_approved_are_in_force_with_their_merge_P12"
    ),
    "tests/scenarios/test_mcp.py::test_I5_below_an_agent_a_server_is_that_agent_and_decides_like_it": (
        "tests/scenarios/test_mcp.py::test_I2_a_token_holds_through_a_server_for_its_role_and_its_task and "
        "tests/scenarios/test_mcp.py::test_I5_a_server_whose_starter_is_gone_keeps_its_evidence_and_decides_nothing"
    ),
    "tests/scenarios/test_attacks_merge.py::test_Q3_a_lock_that_somebody_holds_keeps_one_task_waiting_and_says_so": (
        "tests/faults/test_left_locks.py::"
        "test_a_lock_on_the_target_that_a_killed_git_left_keeps_the_approval_and_names_itself_Q3"
    ),
    "tests/scenarios/test_gate_regressions.py::"
    "test_an_attempt_that_takes_a_test_away_is_not_green_and_only_a_persons_word_lets_it_go": (
        "tests/scenarios/test_attacks_checks.py::test_D5_a_test_of_the_target_does_not_go_unnoticed and "
        "tests/app/findings/test_auto_decisions.py::"
        "test_a_test_that_is_gone_goes_to_a_person_at_once_and_the_way_out_works_for_them_D5_T"
    ),
    "tests/scenarios/test_attacks_people.py::test_I9_the_first_key_belongs_to_who_looks_like_a_person_first": (
        "tests/app/project/test_keys.py::test_the_first_key_rests_on_an_observed_person_and_is_on_record_I9_P8 and "
        "tests/scenarios/test_attacks_people.py::test_I5_a_detached_process_with_a_terminal_is_a_person"
    ),
    "tests/scenarios/test_unsound.py::"
    "test_D5_broken_code_behind_an_editable_install_is_unsound_then_red_and_never_merged": (
        "tests/adapters/checks/test_soundness.py::"
        "test_D5_an_editable_install_of_the_checkout_is_unsound_and_says_what_to_type and "
        "tests/app/gate/test_checks.py::test_an_unsound_run_says_what_was_used_and_what_to_do_and_is_nobodys_fault_D5"
    ),
    "tests/scenarios/test_runner.py::test_red_checks_go_back_to_the_agent_and_are_mended_E4": (
        "tests/app/runner/test_loop.py::test_what_checks_say_goes_back_to_who_wrote_it_and_is_mended_E4"
    ),
    "tests/scenarios/test_gate_regressions.py::test_a_worktree_that_start_made_has_no_store_of_its_own": (
        "tests/scenarios/test_bypasses.py::test_one_store_from_every_worktree_and_every_directory and "
        "tests/app/work/test_worktrees.py::test_the_store_is_found_from_a_worktree_and_work_is_handed_in_from_there_K3"
    ),
    "tests/scenarios/test_sprints.py::test_a_killed_runner_loses_nothing_and_a_start_brings_another_X2": (
        "tests/app/runner/test_sprints_seen.py::"
        "test_a_night_from_ten_to_midnight_until_eight_with_a_crash_in_between_X2_X5_E6 and "
        "tests/faults/test_killed_runner.py::"
        "test_a_runner_that_is_killed_at_any_step_leaves_what_the_next_one_brings_to_its_end_J4_Q4"
    ),
    "tests/scenarios/test_runner.py::test_below_an_agent_no_runner_begins_I5": (
        "tests/scenarios/test_run_identity.py::test_I5_a_puppet_runner_below_an_agent_or_below_a_run_does_not_begin"
    ),
    "tests/scenarios/test_runner.py::"
    "test_a_service_that_the_accepted_policy_names_starts_a_runner_and_no_other_does_I5": (
        "tests/app/runner/test_beginning.py::"
        "test_a_service_that_the_policy_names_begins_one_and_another_is_told_how_I5 and "
        "tests/scenarios/test_run_identity.py::test_I5_a_puppet_runner_below_an_agent_or_below_a_run_does_not_begin"
    ),
    "tests/scenarios/test_attacks_environments.py::"
    "test_D5_what_a_check_of_an_attempt_leaves_reaches_neither_its_next_check_nor_anothers_P12": (
        "tests/adapters/checks/test_grounds.py::test_D5_what_a_check_writes_reaches_no_other_one and "
        "tests/adapters/checks/test_grounds.py::"
        "test_D5_a_run_that_leaves_files_of_its_tree_as_others_is_unsound_unless_its_writes_name_them"
    ),
    "tests/scenarios/test_attacks_merge_bases.py::"
    "test_A2_Q2_what_fe_show_shows_applied_to_the_target_is_what_fe_merge_puts_there": (
        "tests/adapters/git/objects/test_shown_is_merged.py::"
        "test_what_is_shown_applied_to_the_target_is_what_is_merged_A2_Q2 and "
        "tests/scenarios/test_attacks_merge_bases.py::"
        "test_A2_Q2_of_several_merge_bases_the_one_that_was_shown_is_the_one_that_is_merged_by"
    ),
    "tests/scenarios/test_attacks_merge.py::"
    "test_Q3_who_moves_the_target_during_a_merge_makes_it_start_over_and_loses_nothing": (
        "tests/app/gate/test_merger.py::"
        "test_a_target_that_moved_meanwhile_starts_it_over_and_nothing_is_lost_Q3 and "
        "tests/app/gate/test_merger.py::test_a_target_that_never_rests_leaves_it_waiting_Q3"
    ),
    "tests/scenarios/test_attacks_people.py::"
    "test_I9_a_signature_is_of_one_diff_another_one_that_is_handed_in_meanwhile_is_not_approved": (
        "tests/app/project/test_keys.py::"
        "test_a_signature_for_another_diff_than_the_one_under_the_lock_is_none_I9_D7 and "
        "tests/scenarios/test_attacks_people.py::test_D4_a_branch_that_moves_while_the_person_types_is_not_approved"
    ),
    "tests/scenarios/test_runner.py::"
    "test_a_runner_that_a_command_starts_by_the_way_writes_into_the_store_that_everybody_reads_X5_G4": (
        "tests/scenarios/test_sprints.py::"
        "test_a_plan_is_started_by_a_runner_that_writes_into_the_same_store_and_ends_with_it_X2_X5_E2E_S01_E2E_S02"
    ),
    "tests/scenarios/test_attacks_content.py::"
    "test_A2_a_shallow_file_and_grafts_do_not_choose_what_is_shown_and_merged": (
        "tests/adapters/git/client/test_entrance.py::"
        "test_files_beside_the_objects_that_say_what_parents_are_are_not_read_A2 and "
        "tests/adapters/git/objects/test_objects.py::test_a_graft_does_not_change_a_merge_Q2"
    ),
    "tests/scenarios/test_attacks_people.py::"
    "test_M6_a_skip_that_nobody_signed_lets_nothing_through_where_people_sign": (
        "tests/app/tasks/test_loosening.py::test_where_a_key_exists_a_persons_loosening_counts_only_signed_M6_I9 and "
        "tests/scenarios/test_attacks_people.py::"
        "test_P10_M6_who_looks_like_a_person_may_call_work_minor_and_where_people_have_keys_it_counts_for_nothing"
    ),
    "tests/scenarios/test_runner.py::"
    "test_a_runner_in_the_background_is_started_by_who_typed_it_and_outlives_the_terminal_I5": (
        "tests/scenarios/test_runner.py::test_a_first_ctrl_c_finishes_what_runs and "
        "tests/app/runner/test_beginning.py::"
        "test_a_person_begins_a_runner_which_is_a_service_of_its_own_below_nobody_I5_I7"
    ),
    "tests/scenarios/test_gate_regressions.py::test_checks_see_the_attempts_tree_and_never_anybodys_checkout": (
        "tests/scenarios/test_gate_regressions.py::test_what_a_check_writes_is_gone_with_its_checkout and "
        "tests/adapters/checks/test_pipeline.py::test_D5_it_stands_in_a_throwaway_checkout_of_its_own"
    ),
    "tests/scenarios/test_attacks_checks.py::"
    "test_D5_tests_that_go_behind_a_makers_claim_do_not_reach_the_target_unsaid": (
        "tests/app/gate/test_checks_compared.py::"
        "test_a_claimed_list_of_the_targets_tests_is_no_list_where_a_run_counts_D5 and "
        "tests/app/gate/test_merger.py::"
        "test_a_test_that_only_the_targets_tip_has_is_gone_on_the_merge_result_Q3_D5"
    ),
    "tests/scenarios/test_runner.py::test_a_runner_that_is_killed_takes_its_agents_along_and_the_next_goes_on_J4": (
        "tests/faults/test_killed_runner.py::"
        "test_a_runner_that_is_killed_at_any_step_leaves_what_the_next_one_brings_to_its_end_J4_Q4 and "
        "tests/adapters/agents/test_live.py::test_when_the_runner_is_killed_the_reaper_ends_its_program_by_itself"
    ),
    "tests/scenarios/test_odd_files.py::test_something_odd_in_the_place_of_a_file_of_git_holds_nobody_G1": (
        "tests/adapters/git/client/test_odd_files.py::"
        "test_the_files_that_every_command_reads_are_looked_at_before_git_is_asked_G1 and "
        "tests/adapters/git/client/test_odd_files.py::test_a_git_that_waits_is_ended_and_the_file_named_G1"
    ),
    "tests/scenarios/test_attacks_merge_races.py::"
    "test_P12_of_two_policies_that_meet_in_a_merge_none_is_accepted_unseen": (
        "tests/app/gate/test_merge_again.py::test_settings_that_were_merged_with_others_are_not_what_was_approved_P12"
    ),
    "tests/scenarios/test_attacks_merge.py::"
    "test_J3_a_forged_anchor_in_an_attempt_neither_counts_nor_stops_the_next_merge": (
        "tests/app/gate/test_forged_anchors.py::"
        "test_a_merge_of_such_work_that_was_killed_after_its_push_is_found_Q4_J3 and "
        "tests/app/gate/test_forged_anchors.py::"
        "test_such_work_on_the_target_is_no_anchor_and_what_no_task_brought_is_one_J3_P12"
    ),
    "tests/scenarios/test_attacks_findings.py::test_a_new_session_of_the_authors_origin_is_the_author_L8_I3": (
        "tests/app/findings/test_rulings.py::test_who_made_the_work_does_not_rule_on_its_own_answers_L8_P2 and "
        "tests/app/project/test_tokens.py::test_a_new_session_is_a_new_line_and_never_a_new_pair_of_eyes_I4"
    ),
    "tests/scenarios/test_merge_regressions.py::"
    "test_an_attempt_whose_branch_was_rebased_is_done_only_when_main_holds_it": (
        "tests/app/gate/test_merge_again.py::"
        "test_a_pure_rebase_keeps_it_and_one_that_slips_something_in_does_not_A3 and "
        "tests/scenarios/test_content_binding.py::test_A3_a_pure_rebase_keeps_the_approval_and_merge_closes_the_task"
    ),
    "tests/scenarios/test_attacks_merge_races.py::"
    "test_P12_a_forged_anchor_on_the_target_does_not_make_an_older_store_the_current_one": (
        "tests/app/gate/test_forged_anchors.py::"
        "test_an_anchor_that_the_store_holds_does_not_hide_one_that_it_lacks_J3_P12 and "
        "tests/scenarios/test_attacks_merge_races.py::test_P12_an_older_store_that_is_put_back_merges_nothing"
    ),
    "tests/scenarios/test_attacks_people.py::test_T8_a_task_that_is_edited_while_the_person_types_is_not_approved": (
        "tests/app/project/test_keys.py::test_a_task_that_changes_while_the_person_types_is_not_decided_I9_D7 and "
        "tests/scenarios/test_attacks_people.py::test_D4_a_branch_that_moves_while_the_person_types_is_not_approved"
    ),
    "tests/scenarios/test_attacks_checks.py::test_D5_what_the_maker_ran_decides_nothing_and_gives_way_to_what_counts": (
        "tests/app/gate/test_checks.py::test_what_an_agent_ran_is_claimed_informs_people_and_decides_nothing_D5_M4 and "
        "tests/scenarios/test_attacks_checks.py::test_D5_another_agents_run_is_a_claim_too"
    ),
    "tests/scenarios/test_content_binding.py::test_A2_nothing_around_the_commits_changes_a_diff_id": (
        "tests/adapters/git/reading/test_diff_id.py::test_nothing_beside_the_objects_changes_the_diff_A2 and "
        "tests/adapters/git/reading/test_diff_id.py::test_the_environment_does_not_change_the_diff_A2"
    ),
    "tests/scenarios/test_review_summary.py::test_all_auto_approves_the_two_and_they_are_merged_and_nothing_else": (
        "tests/ui/cli/test_queue.py::test_all_auto_with_yes_is_a_decision_each and "
        "tests/scenarios/test_review_summary.py::test_all_auto_lists_first_and_a_no_changes_nothing"
    ),
    "tests/scenarios/test_merge_regressions.py::"
    "test_what_is_closed_as_merged_has_its_evidence_and_what_has_none_is_listed": (
        "tests/app/gate/test_merger.py::"
        "test_a_merge_has_both_parents_names_everything_and_closes_the_task_Q2_J3 and "
        "tests/app/review/test_closing.py::test_closing_merges_nothing_and_the_work_is_listed_C2"
    ),
    "tests/scenarios/test_gate_regressions.py::"
    "test_a_linter_that_finds_something_failed_with_its_findings_and_one_that_breaks_is_no_pass": (
        "tests/app/gate/test_checks.py::test_red_crashed_timed_out_and_unsound_are_no_pass_for_anybody_D5_G1 and "
        "tests/scenarios/test_gate_regressions.py::"
        "test_a_scan_that_was_not_made_or_left_no_report_is_not_a_clean_one"
    ),
    "tests/scenarios/test_findings_regressions.py::"
    "test_29_30_a_tool_that_exits_1_keeps_its_findings_and_a_missing_report_is_not_a_clean_one_G1_L8": (
        "tests/app/findings/test_from_checks.py::"
        "test_what_did_not_run_to_its_end_neither_raises_nor_resolves_G1 and "
        "tests/app/findings/test_from_checks.py::"
        "test_what_a_tool_found_is_raised_once_across_runs_and_lines_that_move_L2_L8"
    ),
    "tests/scenarios/test_attacks_merge_races.py::"
    "test_Q1_while_a_merge_waits_for_its_check_another_one_leaves_and_nothing_is_withdrawn": (
        "tests/races/test_merges.py::"
        "test_who_comes_while_a_merge_is_at_work_is_told_what_it_merges_and_changes_nothing_Q1 and "
        "tests/app/gate/test_merge_again.py::test_a_lease_holds_back_a_withdrawal_T_withdraw_Q1"
    ),
    "tests/scenarios/test_attacks_checks.py::test_P12_no_environment_loosens_what_the_gate_makes_of_checks": (
        "tests/scenarios/test_attacks_merge.py::test_P12_no_environment_loosens_a_merge and "
        "tests/scenarios/test_attacks_policy.py::"
        "test_neither_environment_nor_flag_nor_command_gives_an_agent_another_policy_P12"
    ),
    "tests/scenarios/test_attacks_checks.py::test_D5_a_fake_program_on_the_agents_path_makes_a_claim_and_no_more": (
        "tests/app/gate/test_checks.py::test_what_an_agent_ran_is_claimed_informs_people_and_decides_nothing_D5_M4 and "
        "tests/scenarios/test_attacks_checks.py::test_D5_another_agents_run_is_a_claim_too"
    ),
    "tests/scenarios/test_review_cycles.py::"
    "test_two_concerns_are_clarified_and_agreed_to_and_a_blocker_stops_its_task_only_R1_R2_R4_V9": (
        "tests/app/review/test_cycle_verbs.py::"
        "test_two_concerns_pause_and_ask_the_author_and_agreement_lifts_it_R2_R4_V9 and "
        "tests/app/review/test_cycle_verbs.py::test_a_blocker_holds_its_task_only_at_once_and_a_person_lifts_it_R1"
    ),
    "tests/scenarios/test_bypasses.py::test_a_person_is_not_refused_as_creator_and_every_refusal_says_why": (
        "tests/app/review/test_decisions.py::"
        "test_a_creator_person_needs_no_reason_and_is_no_exception_P3_P8 and "
        "tests/ui/cli/test_golden.py::test_a_refusal_lists_all_reasons_with_rule_and_next_step"
    ),
    "tests/scenarios/test_attacks_merge.py::"
    "test_Q3_work_that_is_green_alone_and_red_merged_does_not_reach_the_target": (
        "tests/app/gate/test_merger.py::test_red_on_the_merge_result_brings_it_back_with_the_failing_tests_Q3 and "
        "tests/scenarios/test_attacks_merge.py::test_P12_no_environment_loosens_a_merge"
    ),
    "tests/scenarios/test_attacks_merge_races.py::"
    "test_Q2_a_branch_that_a_check_moves_during_the_merge_makes_the_approval_void": (
        "tests/app/gate/test_merge_ends.py::test_what_happens_while_it_is_checked_counts_too_T_void_Q2 and "
        "tests/scenarios/test_attacks_merge.py::test_D4_an_approval_is_void_once_the_branch_is_not_what_was_approved"
    ),
    "tests/scenarios/test_attacks_by_checks.py::"
    "test_D5_a_check_that_leaves_daemons_floods_and_is_still_read_to_its_end": (
        "tests/adapters/checks/test_pipeline.py::"
        "test_an_output_without_end_is_drained_and_its_beginning_and_end_are_kept and "
        "tests/adapters/checks/test_pipeline.py::"
        "test_D5_a_daemon_of_the_check_with_a_session_and_an_environment_of_its_own_ends_with_it"
    ),
    "tests/scenarios/test_attacks_tokens.py::test_I3_a_token_that_is_dropped_after_the_work_leaves_the_process_P2": (
        "tests/scenarios/test_attacks_tokens.py::"
        "test_I3_a_token_that_is_dropped_by_an_agent_that_took_the_shells_place_leaves_the_process_P2 and "
        "tests/app/project/test_tokens.py::test_dropping_the_token_leaves_the_origin_I3"
    ),
    "tests/scenarios/test_attacks_merge_bases.py::"
    "test_Q5_an_edit_that_the_merge_touches_too_is_kept_and_the_printed_steps_lose_nothing": (
        "tests/adapters/git/checkouts/test_catch_up.py::"
        "test_a_changed_file_that_the_merge_changes_too_is_left_alone_and_the_steps_lose_nothing_Q5_G5 and "
        "tests/ui/cli/test_merges.py::test_a_dirty_checkout_is_left_alone_and_its_person_told_Q5"
    ),
    "tests/scenarios/test_merge_regressions.py::test_a_line_that_moved_into_an_if_is_not_what_was_approved": (
        "tests/app/gate/test_submission.py::test_white_space_alone_is_another_diff_A2 and "
        "tests/scenarios/test_content_binding.py::"
        "test_D4_a_change_after_submit_makes_the_approval_impossible_until_submitted_again"
    ),
    "tests/scenarios/test_attacks_content.py::test_A2_P12_settings_that_are_swapped_are_neither_accepted_nor_used": (
        "tests/adapters/git/client/test_entrance.py::"
        "test_bytes_under_a_wrong_name_are_refused_wherever_they_lie_A2_Q2 and "
        "tests/scenarios/test_attacks_content.py::test_A2_bytes_that_are_swapped_after_the_approval_are_not_merged"
    ),
    "tests/scenarios/test_attacks_tokens.py::"
    "test_I2_no_token_changes_labels_minor_policy_or_keys_nor_spawns_the_other_role": (
        "tests/app/project/test_tokens.py::test_a_token_is_good_for_its_role_only_I2 and "
        "tests/app/project/test_tokens.py::test_a_token_spawns_its_own_role_only_I2"
    ),
    "tests/scenarios/test_attacks_merge.py::test_Q2_attributes_do_not_decide_what_a_merge_makes": (
        "tests/adapters/git/objects/test_objects.py::test_no_attribute_or_driver_decides_a_conflict_Q2 and "
        "tests/adapters/git/objects/test_objects.py::test_attributes_that_one_side_brings_along_do_not_decide_Q2"
    ),
    "tests/scenarios/test_merge_regressions.py::test_a_dependent_is_free_when_the_work_is_on_main_and_not_before": (
        "tests/app/tasks/test_tasks.py::test_only_closed_satisfies_a_dependency_and_approved_does_not_T3"
    ),
    "tests/scenarios/test_gate_regressions.py::test_zero_checks_and_zero_tests_approve_nothing": (
        "tests/app/findings/test_auto_decisions.py::test_without_a_check_nothing_approves_itself_M4 and "
        "tests/app/gate/test_checks.py::test_a_report_without_a_test_that_ran_is_no_pass_D5"
    ),
    "tests/scenarios/test_attacks_checks.py::test_D5_running_again_until_it_is_green_does_not_turn_a_claim_into_more": (
        "tests/app/gate/test_checks.py::test_a_claimed_red_does_not_hide_a_green_that_counts_nor_the_other_way_round_D5"
    ),
    "tests/scenarios/test_merge_regressions.py::test_an_approval_that_would_not_be_given_now_is_void_when_it_merges": (
        "tests/app/gate/test_merge_ends.py::"
        "test_a_label_that_wants_a_person_ends_an_agents_approval_and_not_a_persons_T_void_P6"
    ),
    "tests/scenarios/test_attacks_merge.py::"
    "test_Q2_configuration_that_is_included_or_a_worktrees_own_is_found_or_without_effect": (
        "tests/adapters/git/client/test_programs.py::test_included_files_and_worktree_settings_count_Q2"
    ),
    "tests/scenarios/test_attacks_content.py::test_Q2_a_configuration_that_could_be_read_in_two_ways_runs_nothing": (
        "tests/adapters/git/client/test_clean_room.py::test_no_other_word_is_the_name_of_a_hash_Q2 and "
        "tests/adapters/git/client/test_config_file.py::test_odd_files_are_read_as_git_reads_them_Q2"
    ),
    "tests/scenarios/test_attacks_merge.py::test_A2_a_replaced_target_does_not_hide_what_is_there": (
        "tests/scenarios/test_attacks_merge.py::test_A2_a_replaced_commit_is_neither_shown_nor_merged and "
        "tests/adapters/git/objects/test_objects.py::test_replace_refs_change_neither_export_nor_merge_Q2"
    ),
    "tests/scenarios/test_review_cycles.py::"
    "test_who_has_to_review_by_name_is_asked_first_and_nobody_else_will_do_D6_V4": (
        "tests/app/cycles/test_asking.py::test_another_review_does_not_stand_in_for_who_has_to_review_D6_R0 and "
        "tests/app/test_parties.py::test_a_child_that_is_called_like_a_reviewer_does_not_take_its_seat_V4"
    ),
    "tests/scenarios/test_attacks_merge.py::test_Q5_a_dirty_checkout_of_the_target_elsewhere_is_left_alone_and_told": (
        "tests/ui/cli/test_merges.py::test_a_dirty_checkout_is_left_alone_and_its_person_told_Q5 and "
        "tests/adapters/git/checkouts/test_catch_up.py::"
        "test_every_checkout_is_brought_up_to_date_from_wherever_the_gate_is_called_Q5"
    ),
    "tests/scenarios/test_gate_regressions.py::"
    "test_a_label_rule_that_bars_auto_approval_holds_whatever_the_mode_says": (
        "tests/app/review/test_decisions.py::test_a_security_label_wants_a_person_P6 and "
        "tests/app/pages/test_review_queue.py::"
        "test_auto_approvable_ignores_the_mode_but_not_per_task_nor_a_barring_label_M8"
    ),
    "tests/scenarios/test_attacks_names.py::"
    "test_I8_a_forged_trailer_locks_a_person_out_until_a_person_clears_it_on_record": (
        "tests/app/work/test_attribution.py::test_a_forged_trailer_locks_out_until_a_person_clears_it_I8_P8 and "
        "tests/app/work/test_attribution.py::test_only_people_clear_I8"
    ),
    "tests/scenarios/test_attacks_checks.py::test_D5_work_without_eyes_that_loses_a_test_goes_to_a_person": (
        "tests/app/findings/test_auto_decisions.py::"
        "test_a_test_that_is_gone_goes_to_a_person_at_once_and_the_way_out_works_for_them_D5_T"
    ),
    "tests/scenarios/test_attacks_by_checks.py::"
    "test_I5_a_limit_a_check_that_ends_its_watcher_leaves_a_daemon_and_that_stands_in_its_result": (
        "tests/adapters/checks/test_pipeline.py::test_G1_a_check_that_kills_the_process_above_it_has_not_passed"
    ),
    "tests/scenarios/test_findings_regressions.py::"
    "test_22_23_one_engine_routes_developer_senior_lead_and_then_a_person_and_the_record_says_the_same_E1": (
        "tests/app/findings/test_loop_tables.py::"
        "test_what_never_gets_better_goes_from_developer_to_senior_to_the_lead_and_waits_there_E1 and "
        "tests/app/tasks/test_escalation.py::"
        "test_after_the_lead_a_loop_that_comes_back_goes_to_a_person_and_not_round_for_ever_E1"
    ),
    "tests/scenarios/test_attacks_by_checks.py::test_D5_a_check_that_never_ends_is_ended_and_is_no_pass": (
        "tests/adapters/checks/test_pipeline.py::test_G1_a_late_check_is_ended_and_says_so and "
        "tests/adapters/checks/test_pipeline.py::"
        "test_D5_a_daemon_of_the_check_with_a_session_and_an_environment_of_its_own_ends_with_it"
    ),
    "tests/scenarios/test_review_summary.py::test_an_agents_own_runs_show_their_marks_and_make_nothing_approvable": (
        "tests/app/pages/test_review_queue.py::test_claimed_checks_are_marked_D5 and "
        "tests/ui/cli/test_checks.py::test_what_an_agent_runs_is_marked_as_claimed_D5"
    ),
    "tests/scenarios/test_bypasses.py::test_sub_agents_of_one_process_are_sessions_of_one_origin": (
        "tests/scenarios/test_attacks_people.py::"
        "test_I3_another_agents_program_or_a_shell_of_its_name_below_the_author_is_the_author_P2 and "
        "tests/scenarios/test_identity.py::test_I3_an_agent_started_by_an_agent_is_another_session_of_the_same_origin"
    ),
    "tests/scenarios/test_attacks_merge_bases.py::"
    "test_Q5_an_ordinary_commit_beside_a_merge_does_not_take_the_merge_back": (
        "tests/adapters/git/checkouts/test_catch_up.py::"
        "test_a_commit_beside_a_merge_brings_only_what_was_changed_there_Q5"
    ),
    "tests/scenarios/test_story.py::test_init_by_an_agent_commits_nothing_and_the_defaults_are_in_force": (
        "tests/bootstrap/test_creating.py::test_init_by_an_agent_or_a_service_commits_nothing_P12 and "
        "tests/scenarios/test_attacks_shown.py::"
        "test_P12_init_accepts_exactly_what_it_writes_and_no_file_or_prompt_that_lay_there"
    ),
    "tests/scenarios/test_attacks_environments.py::"
    "test_D5_a_part_of_the_attempt_is_not_the_targets_because_a_hand_in_was_counted_from_it": (
        "tests/app/work/test_tree_files.py::"
        "test_D5_a_base_where_the_target_was_for_a_moment_makes_no_file_one_of_the_target and "
        "tests/scenarios/test_attacks_environments.py::"
        "test_D5_an_attempt_that_brings_a_file_into_the_packages_does_not_run"
    ),
    "tests/scenarios/test_story.py::test_a_rejected_task_is_taken_up_by_who_rejected_it_or_a_person_only": (
        "tests/scenarios/test_bypasses.py::test_reject_needs_a_reason_and_somebody_who_could_approve and "
        "tests/app/review/test_decisions.py::test_a_rejected_task_is_shown_apart_and_lifted_by_who_rejected_or_a_person"
    ),
    "tests/scenarios/test_attacks_merge.py::"
    "test_Q2_what_is_asked_for_after_the_approval_is_asked_again_before_the_merge": (
        "tests/app/gate/test_merge_ends.py::test_a_label_that_wants_eyes_ends_what_a_rule_approved_T_void_M4"
    ),
    "tests/scenarios/test_attacks_merge.py::"
    "test_A4_attributes_of_an_attempt_hide_nothing_from_who_looks_and_nothing_from_the_gate": (
        "tests/adapters/git/reading/test_diff_id.py::test_attributes_that_are_committed_do_not_change_the_diff_A2 and "
        "tests/core/rules/test_modes.py::test_a_changed_gate_file_is_per_task_whatever_the_labels_say"
    ),
    "tests/scenarios/test_attacks_checks.py::test_D5_a_report_that_is_none_is_never_a_pass": (
        "tests/adapters/checks/test_pipeline.py::test_G1_a_report_that_is_none_is_a_problem_and_never_a_pass and "
        "tests/scenarios/test_gate_regressions.py::"
        "test_a_scan_that_was_not_made_or_left_no_report_is_not_a_clean_one"
    ),
    "tests/scenarios/test_attacks_tokens.py::test_I4_a_sub_agent_that_drops_its_token_is_the_lead_again_P3_recorded": (
        "tests/scenarios/test_attacks_spawned.py::"
        "test_I4_a_lead_that_does_the_work_itself_with_a_token_it_spawned_is_its_delegator_P3_recorded"
    ),
    "tests/scenarios/test_attacks_merge.py::test_J3_words_of_an_attempt_do_not_become_trailers_of_its_merge": (
        "tests/app/gate/test_merger.py::test_words_of_title_and_message_do_not_become_trailers_J3"
    ),
    "tests/scenarios/test_attacks_spawned.py::"
    "test_P10_a_lead_that_gives_its_minor_work_to_puppets_is_counted_or_recorded": (
        "tests/app/review/test_policy_matrix.py::"
        "test_what_spawned_sessions_approve_for_their_author_uses_up_its_allowance_P10_I4"
    ),
    "tests/scenarios/test_attacks_policy.py::"
    "test_P12_a_policy_committed_on_the_target_by_hand_is_not_used_and_is_reported": (
        "tests/app/project/test_project_settings.py::"
        "test_another_file_on_the_target_leaves_the_accepted_one_in_force_and_is_reported_P12 and "
        "tests/scenarios/test_attacks_shown.py::"
        "test_P12_a_policy_is_accepted_as_it_was_shown_and_not_as_it_lies_there_by_then"
    ),
    "tests/scenarios/test_story.py::test_reopen_ends_the_approval_and_keeps_the_authors": (
        "tests/app/review/test_closing.py::test_reopen_ends_approvals_and_keeps_history_and_authors_I8 and "
        "tests/app/review/test_closing.py::test_a_maker_stays_a_maker_after_reopening_I8_P2"
    ),
    "tests/scenarios/test_attacks_by_checks.py::test_D5_nothing_secret_is_in_the_environment_of_a_check": (
        "tests/adapters/checks/test_pipeline.py::test_D5_its_environment_is_a_list_of_what_is_allowed"
    ),
    "tests/scenarios/test_merge_regressions.py::"
    "test_a_rebase_that_changes_the_work_ends_the_approval_and_nothing_is_marked_done": (
        "tests/app/gate/test_merge_again.py::"
        "test_a_pure_rebase_keeps_it_and_one_that_slips_something_in_does_not_A3 and "
        "tests/scenarios/test_attacks_merge_races.py::test_A3_a_rebase_that_slips_something_in_ends_the_approval"
    ),
    "tests/scenarios/test_content_binding.py::"
    "test_A3_an_identical_line_moved_to_another_place_does_not_keep_the_approval": (
        "tests/adapters/git/reading/test_relation.py::test_the_same_diff_at_another_repeated_block_ends_the_approval_A3"
    ),
    "tests/scenarios/test_attacks_checks.py::test_G1_a_run_on_the_target_that_somebody_ended_is_no_comparison": (
        "tests/app/gate/test_checks_compared.py::"
        "test_an_attempt_is_not_green_while_it_is_unknown_which_tests_the_target_has_D5_G1 and "
        "tests/app/gate/test_checks_compared.py::"
        "test_a_crash_of_the_targets_own_tests_is_not_remembered_as_what_it_has_D5_G1"
    ),
    "tests/scenarios/test_gate_regressions.py::test_lines_are_counted_and_not_read_from_a_graph": (
        "tests/adapters/git/test_repo.py::test_renames_and_binaries_are_counted_right_A1"
    ),
    "tests/scenarios/test_bypasses.py::test_who_wrote_a_commit_is_an_author_whoever_ran_start_I8_P2": (
        "tests/app/gate/test_submission.py::test_sessions_named_by_trailers_become_authors_A1_P2"
    ),
}
"""Parts of `TESTS` of `left.py`."""
