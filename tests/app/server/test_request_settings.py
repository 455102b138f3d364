"""The settings of a request to the server, checked before anything is done."""

import asyncio
from typing import Any

import pytest
from langgraph_sdk import Auth

from app.server.request_settings import refuse_settings


@pytest.mark.parametrize(
    "holder",
    [
        {"context": {"weights": {"fuzzy": 2.0}}},
        {"kwargs": {"config": {"configurable": {"weights": {"fuzzy": 2.0}}}}},
    ],
)
def test_weights_without_their_group_are_refused_with_the_unknown_list(
    holder: dict[str, Any], no_home: Any
) -> None:
    with pytest.raises(Auth.exceptions.HTTPException) as refused:
        asyncio.run(refuse_settings(True, holder))
    assert refused.value.status_code == 403
    assert "did you mean 'retrieval.weights'?" in refused.value.detail
    assert "'fuzzy'; use one of sparse, dense, facts" in refused.value.detail
