"""Which files and tests are left for the night, and what shows the same by day; `night.py` takes them out of a run."""

from __future__ import annotations

from tests.stage.left_stories import STORIES

WHOLE = {
    "tests/scenarios/test_baseline.py": "tests/app/gate/test_checks_baseline.py by the verbs; this by ruff itself",
    "tests/scenarios/test_matrix_by_processes.py": "tests/app/review/test_policy_matrix.py has the same rows, and "
    "tests/scenarios/test_identity.py shows who is told apart as a process",
    "tests/scenarios/test_strict_policy.py": "tests/app/review/test_policy_matrix.py, every story under strict",
    "tests/scenarios/test_balanced_policy.py": "tests/app/review/test_policy_matrix.py, every story under balanced",
    "tests/scenarios/test_attacks_modes.py": "tests/core/rules/test_modes.py and test_minor_tasks.py say whose word loosens"
    " what, tests/app/review/test_policy_matrix.py by the verbs; tests/scenarios/test_identity.py who is told apart",
    "tests/scenarios/test_stacks.py": "tests/app/gate/test_stacks.py, the same by the verbs, and "
    "tests/core/rules/test_stacks.py every way in which work of another task comes along",
    "tests/stage/test_warm.py": "tests/stage/test_processes.py shows who calls; every command of the day shows that a "
    "warm process answers, and the night starts each of them",
    "tests/bench/test_team.py": "tests/races/test_two_runners.py has runners at work by day; the benchmark's own data",
    "tests/bench/test_dataset.py": "tests/adapters/store/test_replay.py replays every kind; the benchmark's own data",
    "tests/bench/test_gate.py": "tests/app/gate/test_processes.py counts what a merge starts; the benchmark's own data",
    "tests/scenarios/test_terminal_signing.py": "tests/ui/tui/test_suspend_terminal.py shows how the app steps aside, "
    "tests/adapters/identity/test_keys.py how a passphrase or a touch is asked for",
    "tests/races/test_commands.py": "tests/races/test_claims.py and test_decisions.py, the same by the verbs",
    "tests/adapters/git/client/test_ssh.py": "tests/adapters/git/client/test_transport.py and tests/contract/"
    "test_remote.py by a remote on the disk; this by a real sshd, where one is installed",
    "tests/faults/test_killed_push.py": "tests/app/gate/test_sent_merges.py kills, cuts and delays the push itself",
    "tests/faults/test_cut_merge.py": "tests/app/gate/test_sent_merges.py cuts off and delays the push itself, "
    "tests/app/gate/test_merge_cut_off.py the server in the middle of a queue",
    "tests/scenarios/test_team_day.py": "tests/scenarios/test_two_machines.py and "
    "tests/app/work/test_other_machines.py, piece by piece",
    "tests/scenarios/test_field_of_teams.py": "tests/scenarios/test_two_machines.py goes the way of a merge by day; "
    "the rest tests/app/work/test_other_machines.py, tests/app/gate/test_target_line.py, test_merge_cut_off.py and "
    "tests/adapters/store/test_postgres_access.py, test_postgres_restore.py, test_exceptions_file.py",
    "tests/scenarios/test_field_of_joining.py": "tests/bootstrap/test_join.py in process; tests/scenarios/test_shared_store.py joins by processes by day",
    "tests/scenarios/test_page_of_machines.py": "tests/scenarios/test_two_machines.py goes the same way by day",
    "tests/races/test_runners_of_two_machines.py": "tests/app/work/test_other_machines.py shows where work goes on, "
    "tests/app/runner/test_loop.py who is taken over and when, tests/races/test_two_runners.py by processes one "
    "that slept past its lease; this by two clones and half a minute of leases",
    "tests/faults/test_killed_merge_command.py": "tests/faults/test_killed_gate.py kills the same merge at its steps, "
    "and tests/races/test_merges.py lets several meet",
    "tests/scenarios/test_review_flows.py": "tests/ui/tui/test_seed_stories.py goes the same six flows in the app, "
    "tests/scenarios/test_story.py from a plan to the merge by processes, tests/ui/cli/test_queue.py several at once, "
    "tests/app/review/test_feedback.py what is said again, "
    "tests/faults/test_killed_gate.py a merge that was killed",
    "tests/scenarios/test_findings_workflows.py": "tests/app/findings/test_loop_tables.py, test_answers.py, "
    "test_rulings.py and tests/app/tasks/test_escalation.py by the verbs, tests/ui/cli/test_loops.py and "
    "test_findings.py what the command line says of it",
    "tests/scenarios/test_reviewers.py": "tests/app/runner/test_reviewing.py, the same by the verbs, and "
    "tests/app/review/test_cycle_verbs.py each rule",
}
"""Files that show once more, by the command line, what others show by day: they run at night, or where one is named."""

TESTS = {
    "tests/scenarios/test_attacks_environments.py::"
    "test_D5_what_somebody_writes_from_outside_while_the_command_runs_is_no_pass": (
        "tests/adapters/checks/test_grounds.py::test_D5_a_write_from_outside_to_the_files_of_a_run_is_noticed"
    ),
    "tests/scenarios/test_attacks_environments.py::"
    "test_D5_what_the_installation_of_an_attempt_leaves_serves_that_attempt_alone": (
        "tests/adapters/checks/test_grounds.py::"
        "test_D5_an_environment_of_other_inputs_than_the_targets_serves_that_tree_alone"
    ),
    "tests/scenarios/test_two_machines.py::"
    "test_a_main_that_was_pushed_over_is_told_on_both_machines_and_brought_back_by_what_is_printed_A2_Q6": (
        "tests/app/gate/test_target_line.py::"
        "test_a_target_that_was_pushed_over_stops_merging_in_every_clone_until_it_is_brought_back_Q6"
    ),
    "tests/scenarios/test_story.py::test_G4_a_writer_killed_at_any_moment_leaves_the_old_state_or_the_new_one": (
        "tests/faults/test_killed_verbs.py::"
        "test_a_killed_command_leaves_the_old_state_or_the_new_one_and_the_mirror_is_healed_by_the_next_write_G4_J1_J2_P8"
    ),
    "tests/scenarios/test_story.py::test_G4_an_exception_killed_before_its_mirror_line_gets_it_with_the_next_write": (
        "tests/faults/test_killed_commands.py::"
        "test_a_killed_approval_counts_whole_or_not_at_all_and_its_exception_reaches_the_mirror_G4_P8"
    ),
    "tests/scenarios/test_bypasses.py::test_of_twelve_that_start_one_task_exactly_one_wins": (
        "tests/races/test_claims.py::test_of_many_who_start_the_same_task_one_wins_and_the_others_are_told_who_T1"
    ),
    "tests/scenarios/test_bypasses.py::test_of_twelve_that_ask_for_the_next_of_five_tasks_five_get_one_each": (
        "tests/races/test_claims.py::test_many_claimers_take_more_tasks_than_they_are_each_exactly_once_T1"
    ),
    "tests/scenarios/test_attacks_merge.py::"
    "test_Q3_of_two_that_are_green_alone_and_red_together_one_reaches_the_target": (
        "tests/scenarios/test_merge_regressions.py::test_each_is_green_alone_and_the_second_is_red_on_top_of_the_first"
    ),
    "tests/races/test_two_runners.py::"
    "test_of_two_runners_one_is_killed_and_the_other_brings_its_work_to_the_target_J4": (
        "tests/faults/test_killed_runner.py::"
        "test_a_runner_that_is_killed_at_any_step_leaves_what_the_next_one_brings_to_its_end_J4_Q4"
    ),
    "tests/races/test_two_runners.py::"
    "test_a_runner_on_another_machine_that_is_gone_is_taken_over_without_waiting_for_its_lease_J4": (
        "tests/app/runner/test_loop.py::test_a_run_whose_runner_is_cut_off_is_taken_over_without_waiting_for_its_lease_J4"
    ),
    "tests/scenarios/test_run_socket.py::"
    "test_I2_on_postgresql_a_run_that_has_no_address_of_the_store_works_by_its_socket_alone_I5": (
        "tests/scenarios/test_run_socket.py::test_I2_an_agent_of_a_run_looks_and_hands_in_and_approves_nothing_I5"
    ),
    "tests/adapters/store/test_postgres_access.py::test_a_writer_lacks_nothing_that_any_verb_writes": (
        "tests/adapters/store/test_postgres_access.py::test_a_writer_adds_to_the_journal_and_changes_nothing_of_it"
    ),
    "tests/faults/test_killed_commands.py::test_a_killed_log_is_written_whole_or_not_at_all_G4": (
        "tests/faults/test_killed_commands.py::"
        "test_a_killed_approval_counts_whole_or_not_at_all_and_its_exception_reaches_the_mirror_G4_P8"
    ),
    "tests/scenarios/test_runner.py::test_random_ends_of_real_processes_leave_nothing_behind": (
        "tests/app/runner/test_random_ends.py::"
        "test_random_ends_leave_nothing_behind_and_every_task_where_somebody_can_move_it"
    ),
    "tests/scenarios/test_terminal_app.py::test_a_held_key_approves_one_of_six_and_U_takes_it_back": (
        "tests/ui/tui/screens/test_task.py::test_holding_the_key_approves_one_of_six_and_after_a_rest_the_next and "
        "tests/ui/tui/test_undoing.py::test_what_was_approved_a_moment_ago_is_taken_back_at_once"
    ),
    "tests/scenarios/test_run_socket.py::test_I2_the_token_of_a_run_holds_through_a_whole_conversation_of_fe_mcp": (
        "tests/scenarios/test_mcp.py::test_I2_a_token_holds_through_a_server_for_its_role_and_its_task"
    ),
    "tests/scenarios/test_mcp.py::"
    "test_G4_a_server_that_is_killed_in_the_middle_of_a_call_leaves_the_old_state_or_the_new_one": (
        "tests/faults/test_killed_verbs.py::"
        "test_a_killed_command_leaves_the_old_state_or_the_new_one_and_the_mirror_is_healed_by_the_next_write_G4_J1_J2_P8"
    ),
    "tests/scenarios/test_shared_store.py::test_a_whole_story_on_a_server_from_init_to_approve": (
        "tests/scenarios/test_two_machines.py::"
        "test_what_is_made_on_either_machine_is_merged_on_either_and_there_is_one_main_A1_A2_Q6"
    ),
    "tests/scenarios/test_shared_store.py::test_a_person_moves_the_store_to_a_server_and_back_and_work_goes_on": (
        "tests/adapters/store/test_shared_store.py::test_a_store_moves_to_a_server_and_nothing_is_missing"
    ),
    "tests/scenarios/test_attacks_people.py::test_I9_after_the_first_key_who_looks_like_a_person_adds_none": (
        "tests/app/project/test_keys.py::test_a_later_key_is_signed_by_an_earlier_one_I9"
    ),
    "tests/scenarios/test_attacks_people.py::test_I9_with_human_proof_key_who_looks_like_a_person_decides_nothing": (
        "tests/app/project/test_keys.py::test_human_proof_key_puts_a_signature_under_every_decision_of_a_person_I9"
    ),
    "tests/scenarios/test_attacks_people.py::test_I9_P6_where_only_people_with_keys_approve_no_disguise_helps": (
        "tests/app/project/test_keys.py::test_an_approval_that_counts_because_a_person_gives_it_needs_the_key_I9_P6"
    ),
    "tests/scenarios/test_attacks_policy.py::"
    "test_P10_minor_ten_times_a_day_ends_at_the_limit_of_the_origin_whatever_it_calls_itself": (
        "tests/app/review/test_decisions.py::test_the_five_are_counted_per_origin_not_per_session_P10"
    ),
    "tests/scenarios/test_attacks_by_checks.py::test_I5_a_test_that_the_merge_queue_runs_has_no_rights_either": (
        "tests/scenarios/test_attacks_by_checks.py::"
        "test_I5_a_test_that_calls_fe_approve_has_no_rights_whoever_runs_the_checks"
    ),
    "tests/scenarios/test_attacks_checks.py::test_D5_a_test_of_the_target_that_is_skipped_now_is_gone": (
        "tests/app/gate/test_checks_compared.py::"
        "test_a_test_that_is_skipped_now_is_gone_and_one_that_runs_again_is_new_D5"
    ),
    "tests/faults/test_killed_files.py::test_a_killed_move_to_a_server_can_be_repeated_and_nothing_is_lost_G4": (
        "tests/adapters/store/test_shared_store.py::"
        "test_a_crash_on_the_way_there_leaves_a_usable_project_and_a_second_call_completes_it_G4"
    ),
    "tests/app/runner/test_night.py::"
    "test_the_morning_after_twelve_tasks_two_reviewers_a_blocker_a_question_and_a_crash_X2_R1_R2_E1_J4": (
        "tests/app/runner/test_sprints_seen.py::"
        "test_a_night_from_ten_to_midnight_until_eight_with_a_crash_in_between_X2_X5_E6 and "
        "tests/app/runner/test_reviewing.py::"
        "test_two_concerns_are_clarified_by_the_author_and_the_cycle_runs_again_R2_V9"
    ),
    "tests/ui/tui/test_control_chars.py::test_no_page_draws_a_control_character": (
        "tests/ui/tui/test_control_chars.py::"
        "test_what_goes_around_every_other_step_is_held_back_by_the_sieve and "
        "tests/ui/tui/test_control_chars.py::"
        "test_words_that_a_page_forgot_to_make_visible_are_caught"
    ),
    "tests/ui/cli/test_merges.py::test_wait_waits_until_it_has_settled_Q0": (
        "tests/app/gate/test_merge_wait.py::"
        "test_waiting_ends_when_the_approval_has_settled_and_is_merged_Q0 and "
        "tests/packaging/test_wheel.py::"
        "test_the_installed_command_goes_the_whole_way_from_init_to_merge"
    ),
    "tests/bench/test_large_tree.py::"
    "test_every_change_is_merged_onto_a_target_that_moved_and_the_programs_are_counted": (
        "tests/app/gate/test_processes.py::test_a_merge_starts_at_most_twenty_programs_Q2"
    ),
    "tests/faults/test_killed_commands.py::"
    "test_a_killed_spawn_gives_out_a_session_with_its_claim_or_neither_and_a_person_can_end_it_G4_I2": (
        "tests/faults/test_killed_commands.py::"
        "test_a_killed_approval_counts_whole_or_not_at_all_and_its_exception_reaches_the_mirror_G4_P8 and "
        "tests/faults/test_killed_verbs.py::"
        "test_a_killed_command_leaves_the_old_state_or_the_new_one_and_the_mirror_is_healed_by_the_next_write_G4_J1_J2_P8"
    ),
    "tests/faults/test_killed_commands.py::test_a_killed_session_end_frees_all_of_a_line_or_nothing_G4_I2": (
        "tests/faults/test_killed_commands.py::"
        "test_a_killed_approval_counts_whole_or_not_at_all_and_its_exception_reaches_the_mirror_G4_P8 and "
        "tests/faults/test_killed_verbs.py::"
        "test_a_killed_command_leaves_the_old_state_or_the_new_one_and_the_mirror_is_healed_by_the_next_write_G4_J1_J2_P8"
    ),
    "tests/app/review/test_policy_matrix.py::"
    "test_the_list_has_every_page_of_what_may_be_approved_and_nothing_else_P13": (
        "tests/app/pages/test_lists.py::"
        "test_reviewable_lists_exactly_what_the_caller_may_approve_P13 and "
        "tests/app/pages/test_lists.py::"
        "test_reviewable_pages_past_tasks_of_ones_own_P13"
    ),
    "tests/adapters/store/test_copying.py::test_a_copy_goes_on_where_the_journal_ended_J1": (
        "tests/adapters/store/test_copying.py::"
        "test_a_rich_journal_is_the_same_there_and_back_J2 and "
        "tests/adapters/store/test_shared_store.py::"
        "test_a_store_moves_to_a_server_and_nothing_is_missing"
    ),
    "tests/ui/tui/test_regressions.py::test_a_redo_that_was_opened_can_be_sent": (
        "tests/ui/tui/screens/test_refusal.py::"
        "test_R_sends_back_what_could_not_be_approved_and_is_offered_only_there_F1 and "
        "tests/ui/tui/screens/test_form.py::"
        "test_redo_by_digits_and_words_reaches_the_next_prompt_word_for_word_F1_F3"
    ),
    "tests/adapters/store/test_copying.py::test_exports_of_both_engines_are_the_same_lines_J1": (
        "tests/adapters/store/test_copying.py::"
        "test_a_rich_journal_is_the_same_there_and_back_J2 and "
        "tests/adapters/store/test_copying.py::"
        "test_an_export_verifies_with_the_standard_library_only_J1"
    ),
    "tests/app/gate/test_target_line.py::test_a_push_over_that_was_meant_is_taken_from_where_the_remote_is_Q6": (
        "tests/app/gate/test_merge_place.py::"
        "test_a_person_says_that_a_target_was_set_back_on_purpose_and_merges_go_on_Q6 and "
        "tests/app/gate/test_target_line.py::"
        "test_a_merge_that_a_clone_never_had_is_named_where_it_is_given_up_there_Q6"
    ),
    "tests/app/work/test_other_machines.py::test_a_merge_on_one_machine_voids_nothing_of_the_other_A1_of_the_team": (
        "tests/scenarios/test_two_machines.py::"
        "test_what_is_made_on_either_machine_is_merged_on_either_and_there_is_one_main_A1_A2_Q6"
    ),
    "tests/faults/test_killed_files.py::"
    "test_a_killed_migration_is_done_at_the_next_opening_and_was_backed_up_first_G4": (
        "tests/adapters/store/test_migrate.py::"
        "test_a_failing_migration_leaves_neither_change_nor_record_G4 and "
        "tests/adapters/store/test_migrate.py::"
        "test_a_schema_change_makes_a_backup_first"
    ),
    "tests/ui/tui/test_regressions.py::test_what_was_approved_by_the_rule_leaves_the_list_of_what_waits": (
        "tests/ui/tui/test_seed_stories.py::"
        "test_E2E_R04_green_work_is_approved_by_the_rule_and_red_work_comes_back_and_nobody_is_asked and "
        "tests/ui/tui/screens/test_summary.py::"
        "test_what_others_do_is_counted_and_taken_in_by_a_key_without_moving_the_cursor"
    ),
    "tests/app/gate/test_target_line.py::test_the_queue_of_one_clone_stands_on_the_merges_of_the_other_Q6": (
        "tests/scenarios/test_two_machines.py::"
        "test_what_is_made_on_either_machine_is_merged_on_either_and_there_is_one_main_A1_A2_Q6 and "
        "tests/app/gate/test_target_line.py::"
        "test_any_clone_merges_what_another_made_and_every_local_branch_follows_Q5_Q6"
    ),
    "tests/app/runner/test_loop.py::"
    "test_a_runner_that_is_killed_before_any_of_its_steps_loses_nothing_and_merges_nothing_twice_Q4_J4": (
        "tests/faults/test_killed_runner.py::"
        "test_a_runner_that_is_killed_at_any_step_leaves_what_the_next_one_brings_to_its_end_J4_Q4"
    ),
    "tests/ui/cli/test_loops.py::test_every_option_of_the_lead_leads_somewhere_E3": (
        "tests/app/tasks/test_escalation.py::"
        "test_senior_goes_on_at_tier_senior_with_counters_that_start_again_E3 and "
        "tests/ui/cli/test_loops.py::"
        "test_the_lead_decides_and_only_where_it_is_waited_for_E3"
    ),
    "tests/app/work/test_other_machines.py::test_work_begins_on_what_another_machine_merged_Q6": (
        "tests/app/work/test_asking_once.py::test_a_clone_that_is_behind_asks_once_where_work_begins_K1_Q6"
    ),
    "tests/races/test_moves.py::test_the_file_that_is_kept_aside_has_every_row_G4": (
        "tests/adapters/store/test_shared_store.py::test_what_a_reader_still_holds_open_goes_along_with_the_file_set_aside"
    ),
    "tests/ui/tui/screens/test_board.py::test_without_unicode_and_colours_everything_is_still_said": (
        "tests/ui/tui/test_acceptance.py::"
        "test_without_colours_and_unicode_every_state_on_board_summary_and_diff_can_be_told_apart"
    ),
    "tests/adapters/store/test_postgres.py::test_a_restarted_server_is_found_again_by_open_stores_and_new_ones": (
        "tests/faults/test_connection.py::test_a_server_that_is_down_is_said_in_one_sentence"
    ),
    "tests/faults/test_killed_gate.py::"
    "test_after_a_reject_that_was_killed_before_its_file_was_written_the_next_write_writes_the_file_F2": (
        "tests/adapters/store/test_feedback_files.py::"
        "test_what_a_killed_process_owed_is_written_by_the_next_write_of_anything_F2"
    ),
    "tests/app/gate/test_noted_refs.py::"
    "test_where_the_remote_cannot_be_asked_work_begins_at_the_last_merge_on_record_K1_Q6": (
        "tests/app/test_current_target.py::"
        "test_while_the_remote_is_away_it_is_the_last_merge_on_record_K4_Q6 and "
        "tests/app/test_current_target.py::"
        "test_a_target_that_is_gone_from_the_remote_is_at_the_last_merge_on_record_K1_Q6"
    ),
    "tests/app/gate/test_merger.py::test_three_failed_merges_are_the_next_tiers_Q3": (
        "tests/app/tasks/test_rounds.py::test_three_failed_merges_go_to_the_next_tier_Q3"
    ),
    "tests/ui/tui/screens/test_diff.py::test_a_line_wider_than_the_screen_is_seen_once_it_was_scrolled_to_its_end_H4": (
        "tests/ui/tui/screens/test_diff.py::test_a_wide_line_that_flies_by_in_a_burst_is_not_seen_H4"
    ),
    "tests/ui/tui/test_regressions.py::test_a_draft_that_cannot_be_read_is_kept_and_said": (
        "tests/ui/tui/test_forged.py::"
        "test_a_draft_that_is_too_large_is_set_aside_before_anybody_waits_for_it and "
        "tests/adapters/drafts/test_files.py::"
        "test_what_is_no_file_of_ours_is_read_as_nothing_and_can_be_set_aside"
    ),
    "tests/adapters/store/test_postgres.py::test_a_restart_between_two_commands_is_not_noticed": (
        "tests/faults/test_connection.py::test_a_process_that_lives_through_a_restart_of_the_server_does_not_notice_it"
    ),
    "tests/app/gate/test_sent_merges.py::test_a_push_that_is_cut_off_once_is_tried_again_Q6": (
        "tests/app/gate/test_target_line.py::test_a_connection_that_is_cut_in_a_push_is_no_refusal_and_tried_again_Q6"
    ),
    "tests/adapters/store/test_postgres_restore.py::test_a_backup_is_the_way_out_where_a_row_was_put_after_the_head_G4": (
        "tests/adapters/store/test_postgres_restore.py::"
        "test_so_it_does_where_the_store_is_gone_or_damaged_J2 and "
        "tests/adapters/store/test_postgres_access.py::"
        "test_a_row_that_a_writer_puts_after_the_head_is_a_named_problem_which_the_owner_mends_as_written_G4"
    ),
    "tests/ui/tui/screens/test_diff.py::test_without_colours_and_without_unicode_everything_can_be_read": (
        "tests/ui/tui/test_acceptance.py::"
        "test_without_colours_and_unicode_every_state_on_board_summary_and_diff_can_be_told_apart"
    ),
    "tests/ui/tui/screens/test_finding.py::test_a_ruling_counts_though_its_page_was_left_before_the_answer": (
        "tests/ui/tui/screens/test_finding.py::"
        "test_a_ruling_that_is_refused_is_said_though_its_page_was_left and "
        "tests/ui/tui/test_late.py::"
        "test_an_approval_counts_though_its_page_was_left_before_the_answer"
    ),
    "tests/ui/tui/test_regressions.py::test_a_feedback_file_that_cannot_be_read_is_kept_and_said": (
        "tests/adapters/store/test_feedback_files.py::"
        "test_what_is_there_and_not_ours_is_kept_under_another_name_and_said"
    ),
    "tests/app/gate/test_sent_merges.py::"
    "test_a_push_whose_answer_is_lost_with_the_line_stays_open_and_no_word_takes_it_back_Q4_Q6": (
        "tests/app/gate/test_sent_merges.py::"
        "test_a_push_without_an_answer_is_found_by_the_next_merge_Q4_Q6 and "
        "tests/app/gate/test_sent_merges.py::"
        "test_until_it_is_known_whether_it_arrived_nobody_takes_the_approval_back_Q4_Q6"
    ),
    "tests/races/test_moves.py::test_who_had_the_file_open_when_it_moved_to_a_server_is_told_and_loses_nothing_G4": (
        "tests/adapters/store/test_shared_store.py::"
        "test_a_writer_who_opened_the_file_before_the_move_does_not_write_into_what_was_set_aside_G4"
    ),
    "tests/app/work/test_other_machines.py::test_work_that_comes_back_goes_on_at_another_machine_where_it_was_K1": (
        "tests/app/work/test_lost_clone.py::"
        "test_what_an_attempt_on_record_has_is_gone_on_with_and_what_was_pushed_on_top_is_named_K1_P2"
    ),
    "tests/app/gate/test_merge_cut_off.py::"
    "test_a_target_that_is_set_back_while_the_queue_waits_takes_nothing_back_of_what_is_told_Q6": (
        "tests/app/gate/test_merge_cut_off.py::"
        "test_a_remote_that_goes_away_while_the_queue_waits_takes_nothing_back_of_what_is_told_Q6 and "
        "tests/app/test_merge_stops.py::"
        "test_a_target_that_is_set_back_in_the_middle_of_a_queue_is_not_merged_over_Q6"
    ),
    "tests/app/test_merge_stops.py::test_status_doctor_and_audit_say_that_the_target_lacks_a_merge_Q6": (
        "tests/app/test_merge_stops.py::"
        "test_where_merging_has_stopped_everything_leads_to_the_way_back_and_it_waits_for_a_person_Q6_E6_G2"
    ),
    "tests/ui/tui/test_key_queue.py::test_a_title_typed_ahead_is_the_title": (
        "tests/ui/tui/test_key_queue.py::test_a_key_that_edits_is_not_overtaken_by_the_letters_after_it"
    ),
    "tests/adapters/store/test_migrate.py::test_an_older_store_goes_forward_and_keeps_its_rows_on_both_engines": (
        "tests/adapters/store/test_migrate.py::test_an_old_store_goes_forward_and_its_tables_are_what_a_replay_says_J2"
    ),
    "tests/faults/test_connection.py::test_a_server_that_restarts_between_two_commands_costs_at_most_one_command_G4": (
        "tests/faults/test_connection.py::test_a_process_that_lives_through_a_restart_of_the_server_does_not_notice_it"
    ),
    "tests/app/gate/test_sent_merges.py::"
    "test_a_push_is_settled_at_the_remote_it_went_to_whatever_the_configuration_says_since_Q6": (
        "tests/app/gate/test_sent_merges.py::test_a_remote_that_is_gone_is_named_and_what_went_there_waits_Q6"
    ),
    "tests/app/gate/test_merge_ends.py::test_who_was_silent_for_too_long_has_lost_the_lease_and_moves_nothing_Q4": (
        "tests/races/test_leases.py::test_who_was_silent_for_longer_than_its_lease_and_comes_back_merges_nothing_Q4"
    ),
    "tests/app/gate/test_merge_again.py::test_an_item_that_was_killed_while_it_merged_is_no_item_for_ever_Q4": (
        "tests/app/gate/test_merge_again.py::"
        "test_the_lease_of_a_process_that_ended_is_free_at_once_Q4 and "
        "tests/races/test_leases.py::"
        "test_the_lease_of_a_killed_process_is_free_at_once_Q4"
    ),
    "tests/app/findings/test_inheritance.py::test_a_third_task_gets_a_finding_once_however_many_have_it_A6": (
        "tests/app/findings/test_inheritance.py::test_a_copy_that_is_flagged_again_is_the_same_finding_still_A6_L2"
    ),
    "tests/app/gate/test_merge_again.py::test_what_was_moved_and_not_recorded_is_found_by_the_next_Q4": (
        "tests/app/gate/test_merge_cut_off.py::test_what_moved_and_was_not_recorded_is_told_to_be_unknown_Q4"
    ),
    **STORIES,
}
"""Tests that run at night, or where their file is named, and the one that shows the same by day, or two of them."""
