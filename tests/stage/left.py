"""Which files and tests are left for the night, and what shows the same by day; `night.py` takes them out of a run."""

from __future__ import annotations

WHOLE = {
    "tests/scenarios/test_baseline.py": "tests/app/gate/test_checks_baseline.py by the verbs; this by ruff itself",
    "tests/scenarios/test_matrix_by_processes.py": "tests/app/review/test_policy_matrix.py has the same rows, and "
    "tests/scenarios/test_identity.py shows who is told apart as a process",
    "tests/scenarios/test_strict_policy.py": "tests/app/review/test_policy_matrix.py, every story under strict",
    "tests/scenarios/test_balanced_policy.py": "tests/app/review/test_policy_matrix.py, every story under balanced",
    "tests/scenarios/test_attacks_modes.py": "tests/core/rules/test_modes.py and test_minor.py say whose word loosens"
    " what, tests/app/review/test_policy_matrix.py by the verbs; tests/scenarios/test_identity.py who is told apart",
    "tests/scenarios/test_stacks.py": "tests/app/gate/test_stacking.py, the same by the verbs, and "
    "tests/core/rules/test_stacks.py every way in which work of another task comes along",
    "tests/stage/test_warm.py": "tests/stage/test_processes.py shows who calls; every command of the day shows that a "
    "warm process answers, and the night starts each of them",
    "tests/bench/test_team.py": "tests/races/test_two_runners.py has runners at work by day; the benchmark's own data",
    "tests/bench/test_gate.py": "tests/app/gate/test_processes.py counts what a merge starts; the benchmark's own data",
    "tests/scenarios/test_terminal_signing.py": "tests/ui/tui/test_aside.py shows how the app steps aside, "
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
    "tests/adapters/store/test_postgres_roles.py, test_putting_back.py, test_mirror.py: docs/lessons.md says which",
    "tests/scenarios/test_field_of_joining.py": "tests/bootstrap/test_joining.py and the others that docs/lessons.md "
    "names beside it, in process; tests/scenarios/test_shared_store.py joins by processes by day",
    "tests/scenarios/test_page_of_machines.py": "tests/scenarios/test_two_machines.py goes the same way by day",
    "tests/races/test_runners_of_two_machines.py": "tests/app/work/test_other_machines.py shows where work goes on, "
    "tests/app/run/test_loop.py who is taken over and when, tests/races/test_two_runners.py by processes one "
    "that slept past its lease; this by two clones and half a minute of leases",
    "tests/faults/test_killed_merge_command.py": "tests/faults/test_killed_gate.py kills the same merge at its steps, "
    "and tests/races/test_merges.py lets several meet",
    "tests/scenarios/test_review_flows.py": "tests/ui/tui/test_seed_stories.py goes the same six flows in the app, "
    "tests/scenarios/test_story.py from a plan to the merge by processes, tests/ui/cli/test_queue.py several at once, "
    "tests/app/review/test_sampling.py the sample, test_feedback.py what is said again, "
    "tests/faults/test_killed_gate.py a merge that was killed",
    "tests/scenarios/test_findings_workflows.py": "tests/app/findings/test_loop_tables.py, test_answers.py, "
    "test_rulings.py and tests/app/tasks/test_escalation.py by the verbs, tests/ui/cli/test_loops.py and "
    "test_findings.py what the command line says of it",
    "tests/scenarios/test_reviewers.py": "tests/app/run/test_reviewing.py, the same by the verbs, and "
    "tests/app/review/test_cycles.py each rule; tests/scenarios/test_calibration.py has reviewers as processes by day",
}
"""Files that show once more, by the command line, what others show by day: they run at night, or where one is named."""

TESTS = {
    "tests/adapters/store/test_last_version.py::test_the_next_version_will_have_a_store_of_this_one": (
        "tests/adapters/store/test_last_version.py::"
        "test_the_last_version_wrote_rows_of_every_kind_it_knew_and_into_every_table"
    ),
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
    "tests/scenarios/test_bypasses.py::test_lesson_61_of_twelve_that_start_one_task_exactly_one_wins": (
        "tests/races/test_claims.py::"
        "test_of_64_who_start_the_same_task_one_wins_and_the_others_are_told_who_T1_lesson_61"
    ),
    "tests/scenarios/test_bypasses.py::"
    "test_lesson_61_of_twelve_that_ask_for_the_next_of_five_tasks_five_get_one_each": (
        "tests/races/test_claims.py::test_64_claimers_take_more_tasks_than_they_are_each_exactly_once_T1_lesson_61"
    ),
    "tests/scenarios/test_attacks_merge.py::"
    "test_Q3_of_two_that_are_green_alone_and_red_together_one_reaches_the_target": (
        "tests/scenarios/test_merge_lessons.py::"
        "test_each_is_green_alone_and_the_second_is_red_on_top_of_the_first_lesson_54"
    ),
    "tests/races/test_two_runners.py::"
    "test_of_two_runners_one_is_killed_and_the_other_brings_its_work_to_the_target_J4": (
        "tests/faults/test_killed_runner.py::"
        "test_a_runner_that_is_killed_at_any_step_leaves_what_the_next_one_brings_to_its_end_J4_Q4"
    ),
    "tests/races/test_two_runners.py::"
    "test_a_runner_on_another_machine_that_is_gone_is_taken_over_without_waiting_for_its_lease_J4": (
        "tests/app/run/test_loop.py::test_a_run_whose_runner_is_cut_off_is_taken_over_without_waiting_for_its_lease_J4"
    ),
    "tests/scenarios/test_run_socket.py::"
    "test_I2_on_postgresql_a_run_that_has_no_address_of_the_store_works_by_its_socket_alone_I5": (
        "tests/scenarios/test_run_socket.py::test_I2_an_agent_of_a_run_looks_and_hands_in_and_approves_nothing_I5"
    ),
    "tests/adapters/store/test_postgres_roles.py::test_a_writer_lacks_nothing_that_any_verb_writes": (
        "tests/adapters/store/test_postgres_roles.py::test_a_writer_adds_to_the_journal_and_changes_nothing_of_it"
    ),
    "tests/faults/test_killed_commands.py::test_a_killed_log_is_written_whole_or_not_at_all_G4": (
        "tests/faults/test_killed_commands.py::"
        "test_a_killed_approval_counts_whole_or_not_at_all_and_its_exception_reaches_the_mirror_G4_P8"
    ),
    "tests/scenarios/test_runner.py::test_random_ends_of_real_processes_leave_nothing_behind_lesson_55": (
        "tests/app/run/test_random_ends.py::"
        "test_random_ends_leave_nothing_behind_and_every_task_where_somebody_can_move_it_lesson_55"
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
        "tests/adapters/store/test_shared.py::test_a_store_moves_there_and_back_and_there_again"
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
        "tests/adapters/store/test_shared.py::"
        "test_a_crash_on_the_way_there_leaves_a_usable_project_and_a_second_call_completes_it_G4"
    ),
    "tests/faults/test_killed_files.py::test_a_killed_move_back_into_the_file_can_be_repeated_and_nothing_is_lost_G4": (
        "tests/adapters/store/test_shared.py::"
        "test_a_crash_on_the_way_back_leaves_a_usable_project_and_a_second_call_completes_it_G4"
    ),
}
"""Tests that run at night, or where their file is named, and the one that shows the same by day, or two of them."""
