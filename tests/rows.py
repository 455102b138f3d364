"""By row of the five systems the tests that fail if it stops working."""

HYBRID, MARK, DENSE, MKRAG, MEDRAG, DEFAULT = (
    f"graph/test_system_{name}.py"
    for name in ("hybrid_memory", "mark", "sparse_dense", "mkrag", "self_medrag", "default")
)
REPRODUCED = "app/cli/test_reproducing_with_a_model.py"

ROWS: dict[str, list[str]] = {
    "H1": [
        f"{HYBRID}::test_an_exchange_is_kept_unchecked_and_recalled_by_cosine",
        f"{HYBRID}::test_every_exchange_is_appended_also_one_without_an_answer",
        f"{HYBRID}::test_two_memories_above_the_threshold_are_recalled",
        f"{HYBRID}::test_a_memory_below_the_threshold_is_not_recalled",
        "anamnesis/models/test_embedding.py::test_the_default_embedder_agrees_with_sentence_transformers",
    ],
    "H2": [
        f"{HYBRID}::test_memories_and_documents_are_searched_side_by_side",
        f"{HYBRID}::test_the_prompt_holds_documents_memories_and_question_within_1024_tokens",
    ],
    "H3": [
        "retrievers/test_fusion.py::test_of_equal_scores_the_sparse_document_comes_first",
        "retrievers/test_search.py::test_a_passage_of_the_dense_list_is_always_among_several",
        f"{HYBRID}::test_one_document_of_the_dense_list_is_always_in_the_prompt",
        "anamnesis/models/test_embedding.py::test_a_pair_keeps_two_encoders_and_the_raw_product",
        "evaluation/reproduce/test_paper.py::"
        "test_the_papers_embedders_are_pooled_and_compared_as_published",
    ],
    "H4": [
        "prompts/test_fill.py::test_what_does_not_fit_is_left_out_whole_lowest_rank_first",
        f"{HYBRID}::test_the_tokens_of_the_chat_template_count",
        "anamnesis/models/test_chat.py::test_the_prompt_of_a_local_model_is_counted_with_its_template",
    ],
    "H5": [
        "graph/test_quoting_the_user.py::"
        "test_what_the_user_said_in_an_earlier_conversation_is_quoted_and_cited",
        "graph/test_quoting_the_user.py::"
        "test_a_medical_question_is_not_answered_from_an_earlier_conversation",
        "prompts/test_replace.py::"
        "test_the_projects_own_are_all_that_can_be_replaced_and_pass_the_checks",
        f"{HYBRID}::test_every_exchange_is_appended_also_one_without_an_answer",
        f"{HYBRID}::test_the_model_is_asked_though_no_passage_reaches_a_gate",
    ],
    "H6": ["anamnesis/models/test_chat.py::test_a_local_model_answers_within_its_bound"],
    "H7": [
        f"{HYBRID}::test_exchanges_alone_are_kept_and_only_with_consent",
        "anamnesis/memory/test_forgetting.py::test_all_that_are_deleted_leave_no_byte",
        "app/web/test_memories.py::test_a_memory_that_shaped_the_answer_says_so_with_its_score",
        "app/cli/test_cli_memory.py::test_one_and_all_are_deleted",
        "app/users/test_users_forgetting.py::test_the_threads_of_a_user_go_and_those_of_others_stay",
    ],
    "H8": [
        "app/cli/test_four_data_sets.py::"
        "test_a_record_of_each_data_set_answers_with_its_text_title_and_source",
        "app/cli/test_four_data_sets.py::test_the_index_has_all_four",
        "anamnesis/corpus/test_medquad.py::test_a_document_gives_its_answered_pairs_and_counts_the_others",
        "anamnesis/corpus/test_medmcqa.py::test_the_text_is_the_right_option_and_the_explanation",
        "anamnesis/corpus/test_bioasq.py::test_the_published_form_is_read",
        "anamnesis/corpus/test_tables.py::test_columns_count_by_name_in_any_case_and_others_are_kept",
    ],
    "H9": [
        "evaluation/test_chatbot.py::test_figures_by_hand",
        "app/cli/test_reproduce.py::test_hybrid_memory_is_measured_with_no_one_and_two_memories",
        f"{REPRODUCED}::test_hybrid_memory_gives_no_one_and_two_memories",
        "app/evaluate/test_evaluate_chatbot.py::"
        "test_earlier_exchanges_are_recalled_as_many_as_are_asked_for",
        "evaluation/test_evaluation_wording.py::test_bertscore_matches_each_token_to_the_nearest",
    ],
    "H10": [
        "anamnesis/memory/test_choosing.py::test_the_threshold_of_one_user_by_hand",
        "graph/test_memory.py::test_settings_decide_what_is_recalled",
        "anamnesis/memory/test_store.py::test_the_audit_log_has_who_and_what_but_no_content",
        "anamnesis/memory/test_encryption.py::test_no_word_of_a_user_is_readable_in_any_file",
        "anamnesis/memory/test_retention.py::test_beyond_the_limit_the_least_worth_keeping_go_first",
    ],
    "M1": [
        f"{MARK}::test_all_three_kinds_are_kept_with_any_chat_model_marked_inferred_and_no_source",
        f"{MARK}::test_notes_that_cannot_be_read_cost_neither_the_answer_nor_the_other_kinds",
    ],
    "M2": [
        "anamnesis/memory/test_memory_record.py::test_stored_and_read_it_is_the_same",
        "anamnesis/memory/test_memory_record.py::test_a_new_memory_is_private_unrated_and_trusted_a_quarter",
    ],
    "M3": [
        f"{MARK}::test_all_three_kinds_are_kept_with_any_chat_model_marked_inferred_and_no_source",
        "graph/test_memory.py::test_recalls_are_counted_only_where_the_memory_was_in_the_prompt",
        "anamnesis/memory/test_store.py::test_the_nearest_of_each_kind_come_back_best_first",
        "anamnesis/memory/test_store.py::test_the_twenty_nearest_of_each_kind_are_found",
    ],
    "M4": [
        f"{MARK}::test_each_kind_is_ranked_by_weights_of_its_own",
        f"{REPRODUCED}::test_mark_ranks_memories_by_cosine_alone_as_the_papers_experiments_do",
        "anamnesis/memory/test_scores.py::test_the_score_without_scaling_is_the_published_formula",
        "anamnesis/memory/test_scores.py::test_every_ranking_of_the_paper_is_there_and_its_weights_add_up_to_one",
        "anamnesis/memory/test_scores.py::test_the_score_by_hand",
    ],
    "M5": [
        "anamnesis/memory/test_memory_record.py::test_a_validation_counts_rates_and_moves_the_trust"
    ],
    "M6": ["anamnesis/memory/test_scores.py::test_table_7"],
    "M7": [
        "anamnesis/memory/test_scores.py::test_table_7",
        "anamnesis/memory/test_scores.py::test_row_50_of_table_7_is_dropped",
        "anamnesis/memory/test_store.py::test_ratings_move_trust_until_the_memory_is_dropped",
        "anamnesis/memory/test_scores.py::test_row_3_of_table_7_is_not_what_the_formula_gives",
    ],
    "M8": [
        f"{MARK}::test_contradicting_memories_are_found_though_no_critic_checks_statements",
        "anamnesis/memory/test_feedback.py::test_each_memory_that_shaped_an_answer_is_rated",
        "nodes/remembering/test_contradictions.py::"
        "test_of_exchanges_and_experts_notes_the_more_trusted_counts_and_of_equals_the_later",
        "graph/test_memory.py"
        "::test_an_experts_note_takes_an_earlier_exchange_that_it_contradicts_out_of_play",
    ],
    "M9": [
        "graph/test_memory.py::test_an_experts_note_is_shown_as_such_and_to_its_audience_only",
        "anamnesis/memory/test_owners.py::"
        "test_an_experts_memory_is_shown_to_its_audience_and_changed_by_its_owner",
        "app/cli/test_experts.py::test_a_note_answers_a_question_and_its_user_reads_it",
        "app/server/test_server_experts.py::test_an_expert_writes_a_note_and_the_owner_reads_it",
        "app/server/test_feedback_route.py::"
        "test_a_question_waits_for_experts_with_nothing_else_about_its_user",
        "app/web/test_web_experts.py::test_a_note_is_written_and_the_question_gone_from_the_list",
        "app/web/test_web_experts.py::test_documents_that_wait_are_shown_and_approved",
        "app/cli/test_experts.py::test_an_approved_document_answers_the_question",
    ],
    "M10": [
        "graph/test_model_calls.py::test_a_session_adds_up_its_turns",
        "evaluation/test_evaluation_wording.py::"
        "test_a_perfect_match_of_four_sentences_covers_all_and_scores_a_quarter_as_printed",
        "evaluation/test_corrections.py::"
        "test_only_what_was_not_right_is_corrected_and_rows_are_measured_by_hand",
        "evaluation/test_correcting.py::test_a_conversation_ends_with_the_right_answer",
        "evaluation/test_evaluation_wording.py::test_coverage_counts_what_is_highly_similar",
    ],
    "M11": [
        "app/cli/test_reproduce.py::test_mark_without_a_chat_model",
        f"{REPRODUCED}::test_mark_remembers_corrections_and_shares_them",
        "app/evaluate/test_evaluate_corrections.py::test_a_correction_reaches_its_user_and_nobody_else",
    ],
    "R1": [
        "retrievers/test_sparse.py::test_scores_are_those_of_rank_bm25",
        f"{DENSE}::test_the_sparse_list_can_be_that_of_the_library",
        "app/cli/test_cli_retrieve.py::test_the_library_gives_the_sparse_list",
    ],
    "R2": [
        "retrievers/test_dense.py::test_the_best_inner_products_come_first",
        "anamnesis/corpus/test_passage.py::test_a_short_text_is_one_passage_with_the_fields_of_its_record",
        "anamnesis/corpus/test_passage.py::test_heading_is_the_question_else_the_title",
    ],
    "R3": [
        "retrievers/test_search.py::test_both_methods_are_fused_over_their_candidates",
        "retrievers/test_search.py::test_records_with_the_same_question_are_different_documents",
        "retrievers/test_fusion.py::test_between_lists_of_equal_weight_the_guarantee_changes_nothing",
    ],
    "R4": [
        f"{DENSE}::test_ten_of_thirty_are_ordered_by_the_cross_encoder_alone",
        f"{DENSE}::test_the_cross_encoder_decides_also_against_the_dense_list",
    ],
    "R5": [
        f"{DENSE}::test_the_prompt_is_three_questions_with_their_answers",
        f"{DENSE}::test_the_model_refuses_and_no_gate_does_it_before",
        f"{DENSE}::test_the_documents_of_the_prompt_are_shown_where_the_model_cites_none",
        f"{DENSE}::test_words_are_streamed_as_a_draft",
        f"{DENSE}::test_ten_of_thirty_are_ordered_by_the_cross_encoder_alone",
    ],
    "R6": [
        "app/web/test_examples.py::test_five_questions_on_five_topics_of_the_index",
        "app/web/test_comparing.py::test_the_columns_are_searched_as_the_settings_say",
        "app/web/test_comparing.py::test_the_columns_are_what_retrieve_gives",
        "app/web/test_running.py::test_a_draft_that_is_streamed_has_no_thoughts",
    ],
    "R7": [
        "app/evaluate/test_evaluate_retrieval.py::test_queries_are_drawn_by_subject_both_ways",
        "app/evaluate/test_evaluate_retrieval.py::test_a_preset_searches_as_its_paper_does",
        "app/cli/test_reproduce.py::test_sparse_dense",
        "app/cli/test_reproduce.py::"
        "test_sparse_dense_asks_drawn_and_first_queries_and_once_more_without_the_own_record",
        "evaluation/test_methods.py::"
        "test_every_list_is_searched_with_the_question_as_written_where_the_paper_does",
        f"{REPRODUCED}::test_mkrag_and_sparse_dense_search_as_their_papers_do",
    ],
    "R8": [
        "app/evaluate/test_evaluate_behaviour.py::test_behaviour_is_measured_and_shown_on_a_page",
        "app/cli/test_reproduce.py::test_sparse_dense",
        "app/cli/test_reproduce.py::"
        "test_sparse_dense_asks_drawn_and_first_queries_and_once_more_without_the_own_record",
    ],
    "R9": [
        f"{DENSE}::test_other_documents_give_alternative_answers",
        "graph/test_graph_build.py::test_evidence_offsets_point_into_the_sources_text",
        "graph/test_weighed_sources.py::test_of_two_that_say_the_same_the_stronger_one_is_quoted",
        "app/web/test_answering.py::test_confidence_comes_with_what_it_means",
    ],
    "K1": [
        "anamnesis/corpus/test_triplets.py::"
        "test_a_triplet_becomes_a_record_with_its_sentence_names_and_source"
    ],
    "K2": [f"{MKRAG}::test_the_width_of_the_first_step_is_a_setting"],
    "K3": [
        f"{MKRAG}::test_as_many_facts_as_are_set_reach_the_prompt",
        f"{MKRAG}::test_the_facts_are_those_of_both_steps",
        f"{MKRAG}::test_the_width_of_the_first_step_is_a_setting",
        f"{MKRAG}::test_facts_have_another_budget_than_passages",
    ],
    "K4": [f"{MKRAG}::test_the_exact_words_of_an_option_are_the_reply_and_are_asked_for_once"],
    "K5": [
        f"{MKRAG}::test_no_gate_and_no_critic_stands_before_the_choice",
        f"{MKRAG}::test_a_reply_that_names_no_option_leads_to_a_choice_all_the_same",
        "evaluation/test_answers.py::test_rows_are_measured_and_compared_on_the_same_questions",
    ],
    "K6": [
        "app/evaluate/test_evaluate_answers.py::test_the_rows_are_all_ways_by_all_numbers",
        "app/evaluate/test_evaluate_answers.py::test_embedders_are_compared",
        f"{REPRODUCED}::test_mkrag_gives_no_4_8_and_16_facts_and_asks_what_is_known",
    ],
    "K7": [
        "retrievers/test_facts.py::test_without_options_an_alias_finds_what_the_stored_name_says",
        "retrievers/test_facts.py::test_the_fact_that_names_both_comes_first",
        f"{MKRAG}::test_an_open_question_is_answered_from_the_facts_it_names",
    ],
    "S1": [
        f"{MEDRAG}::test_tau_theta_rounds_and_lists_are_the_papers",
        f"{MEDRAG}::test_the_share_of_supported_statements_decides_whether_to_search_again",
    ],
    "S2": [
        f"{MEDRAG}::test_tau_theta_rounds_and_lists_are_the_papers",
        "retrievers/test_fusion.py::test_a_document_scores_the_sum_of_its_reciprocal_ranks",
        "retrievers/test_fusion.py::test_between_lists_of_equal_weight_the_guarantee_changes_nothing",
        "anamnesis/models/test_embedding.py::test_a_bert_folder_is_pooled_as_asked",
        "evaluation/reproduce/test_paper.py::"
        "test_the_papers_embedders_are_pooled_and_compared_as_published",
    ],
    "S3": [
        f"{MEDRAG}::"
        "test_query_documents_answer_and_statements_of_each_round_are_in_the_next_prompt",
        f"{MEDRAG}::test_the_option_that_was_named_is_in_the_history",
    ],
    "S4": [
        f"{MEDRAG}::test_a_statement_is_supported_above_tau",
        f"{MEDRAG}::test_the_best_passage_counts_and_nothing_else_is_asked",
        f"{MEDRAG}::test_the_critics_probability_is_that_of_the_whole_passage",
        f"{MEDRAG}::test_the_graph_asks_the_critic_in_this_way",
        f"{MEDRAG}::test_a_passage_longer_than_the_window_is_read_to_its_end",
    ],
    "S5": [
        f"{MEDRAG}::test_a_chat_model_is_the_other_critic",
        "anamnesis/models/test_models_verdicts.py::test_a_verdict_is_read",
        "anamnesis/models/test_llm_critic_references.py::test_the_length_of_a_reply_is_the_critics_and_not_the_models",
    ],
    "S6": ["graph/test_rounds.py::test_each_rounds_query_holds_what_was_unsupported"],
    "S7": [
        "nodes/question/test_several.py::"
        "test_the_best_round_has_the_largest_share_then_the_most_statements",
        f"{MEDRAG}::test_when_rounds_run_out_the_best_rounds_option_stands_on_what_was_supported",
        f"{MEDRAG}::test_without_a_supported_statement_no_option_is_named",
        "graph/test_rounds.py::test_no_end_shows_an_unsupported_statement",
    ],
    "S8": [
        "app/evaluate/test_evaluate_answers.py::test_critics_lists_and_rounds_are_compared_each_with_each",
        f"{REPRODUCED}::test_the_rows_of_self_medrag_differ_in_lists_critic_and_rounds",
        "evaluation/test_answers.py::test_macro_f1_is_measured_as_scikit_learn_does",
    ],
    "A1": [f"{DEFAULT}::test_the_default_has_the_steps_of_all_five"],
    "A2": [
        f"{DEFAULT}::test_a_preset_has_the_parts_of_its_paper_and_no_other",
        "test_systems.py::"
        "test_a_preset_has_no_gate_and_no_reading_of_the_question_that_its_paper_lacks",
    ],
}
"""File and function, under this folder."""

NUMBERS = {"H": 10, "M": 11, "R": 9, "K": 7, "S": 8, "A": 2}
"""Rows of each system, and of all of them together."""
