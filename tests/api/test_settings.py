"""Settings come from the environment, flags override them, and what is not understood is an error."""

from pathlib import Path

import pytest

from kleos.api.settings import Settings, SettingsError, read_settings


def test_everything_has_a_default() -> None:
    assert read_settings({}) == Settings()


def test_the_environment_sets_and_flags_override(tmp_path: Path) -> None:
    environment = {
        "KLEOS_PORT": "9000",
        "KLEOS_DATA": str(tmp_path),
        "KLEOS_CORS_ORIGINS": "https://a, https://b",
    }
    settings = read_settings(environment, port=9001, host=None)
    assert (settings.port, settings.host) == (9001, Settings().host)
    assert settings.data == tmp_path
    assert settings.cors_origins == ("https://a", "https://b")


def test_variables_of_other_programs_are_none_of_our_business() -> None:
    assert read_settings({"PORT": "1", "KLEOS": "x"}) == Settings()


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({"KLEOS_PROT": "9000"}, "KLEOS_PROT"),
        ({"KLEOS_PORT": "ninety"}, "KLEOS_PORT"),
        ({"KLEOS_PORT": "65536"}, "KLEOS_PORT"),
        ({"KLEOS_WORKERS": "0"}, "KLEOS_WORKERS"),
        ({"KLEOS_ALLOW_UNSAFE": "perhaps"}, "KLEOS_ALLOW_UNSAFE"),
        ({"KLEOS_PUBLIC_URL": "kleos.example/"}, "KLEOS_PUBLIC_URL"),
    ],
)
def test_what_is_not_understood_is_an_error_that_names_it(environment: dict[str, str], named: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_settings(environment)
    assert named in str(caught.value)
    assert "\n" not in str(caught.value)
